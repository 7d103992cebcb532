/**
 * One test for each ordering that could break the journal. Each names the danger: what would come out differently the
 * second time, or happen twice, or never go on.
 */
import { describe, expect, it } from 'vitest';
import { CONFIRM, type Ctx, codeGraph } from './testing/code-graph.ts';
import { startWorld } from './testing/world.ts';

/** Promises that the test settles from outside, by name. */
function gates() {
  const open = new Map<string, (value: string) => void>();
  return {
    wait: (name: string) => new Promise<string>(resolve => open.set(name, resolve)),
    open: (name: string) => open.get(name)?.(name),
    has: (name: string) => open.has(name),
  };
}

describe('orderings that could break the journal', () => {
  it('chains in Promise.all: results come in the order of their records, whichever chain is executed first', async () => {
    const orders: string[][] = [];
    const graph = codeGraph({
      a: async ctx => {
        const order: string[] = [];
        const chain = async (name: string) => {
          for (const step of [1, 2, 3]) order.push(await ctx.run(`${name}${step}`, () => `${name}${step}`));
        };
        await Promise.all([chain('x'), chain('y'), ctx.ask('go', CONFIRM)]);
        orders.push(order);
        await ctx.ask('again', CONFIRM);
        return order;
      },
    });
    const world = await startWorld(graph);
    await world.answer();
    await world.restart();
    await world.answer();
    expect((await world.settled()).status).toBe('completed');
    expect(orders.length).toBeGreaterThan(1);
    expect(new Set(orders.map(order => order.join()))).toEqual(new Set([orders[0]!.join()]));
  });

  it('a race of two effects: the winner stays the winner, though both results are there on re-execution', async () => {
    const gate = gates();
    const winners: string[] = [];
    const graph = codeGraph({
      a: async ctx => {
        const first = ctx.run('slow', () => gate.wait('slow'));
        const second = ctx.run('quick', () => gate.wait('quick'));
        const winner = await Promise.race([first, second]);
        await Promise.all([first, second]);
        winners.push(winner);
        await ctx.ask('go', CONFIRM);
        return winner;
      },
    });
    const world = await startWorld(graph);
    gate.open('quick');
    await world.box.settle();
    gate.open('slow');
    await world.box.settle();
    await world.restart();
    await world.answer();
    expect((await world.settled()).output).toBe('quick');
    expect(new Set(winners)).toEqual(new Set(['quick']));
  });

  it('a race of an effect and an answer whose commit is under way: the log decides, live as on re-execution', async () => {
    const gate = gates();
    const seen: string[] = [];
    const graph = codeGraph({
      a: async ctx => {
        const effect = ctx.run('effect', () => gate.wait('effect'));
        const answer = ctx.ask('go', CONFIRM).then(() => 'answer');
        const winner = await Promise.race([effect, answer]);
        seen.push(winner);
        await ctx.run(`after ${winner}`, () => null);
        await Promise.all([effect, answer]);
        await ctx.ask('again', CONFIRM);
        return winner;
      },
    });
    const world = await startWorld(graph);
    const answered = world.run.answer({ action: 'approve' });
    gate.open('effect');
    await answered;
    await world.box.settle();
    const order = (await world.events()).filter(event => /^(op.recorded|request.answered)$/.test(event.type));
    const logged = order[0]!.type === 'request.answered' ? 'answer' : 'effect';
    await world.restart();
    await world.answer();
    expect((await world.settled()).output).toBe(logged);
    expect(new Set(seen)).toEqual(new Set([logged]));
  });

  it('an answer while another effect is at work: the handler goes on without being executed anew', async () => {
    const gate = gates();
    let executions = 0;
    const graph = codeGraph({
      a: async ctx => {
        executions += 1;
        const [effect, answer] = await Promise.all([
          ctx.run('effect', () => gate.wait('effect')),
          ctx.ask('go', CONFIRM),
        ]);
        return [effect, answer.action];
      },
    });
    const world = await startWorld(graph);
    await world.answer();
    expect((await world.view()).status).toBe('running');
    gate.open('effect');
    expect((await world.settled()).output).toEqual(['effect', 'approve']);
    expect(executions).toBe(1);
  });

  it('two operations in doubt in one node: each is asked about, and the second answer finds the run where it was', async () => {
    const gate = gates();
    const done: string[] = [];
    const graph = codeGraph({
      a: ctx =>
        Promise.all(
          ['one', 'two'].map(name =>
            ctx.run(
              name,
              async () => {
                done.push(name);
                return done.length > 2 ? `${name} again` : await gate.wait(name);
              },
              { once: true },
            ),
          ),
        ),
    });
    const world = await startWorld(graph);
    expect(done).toEqual(['one', 'two']);
    await world.restart();
    const asked = (await world.settled()).requests;
    expect(asked.map(request => request.about)).toEqual(['doubt', 'doubt']);
    await world.box.answer(asked[0]!.id, { values: { outcome: 'done', result: '"known"' } });
    expect(await world.settled()).toMatchObject({ status: 'suspended', requests: [{ id: asked[1]!.id }] });
    await world.box.answer(asked[1]!.id, { values: { outcome: 'repeat' } });
    expect(await world.settled()).toMatchObject({ status: 'completed', output: ['known', 'two again'] });
    expect(done).toEqual(['one', 'two', 'two']);
  });

  it('a doubt that is settled while a sibling of it is at work: nothing waits for ever', async () => {
    const gate = gates();
    let sent = 0;
    const graph = codeGraph({
      a: ctx =>
        Promise.all([
          ctx.run(
            'text',
            async () => {
              sent += 1;
              return sent === 1 ? await gate.wait('text') : 'sent again';
            },
            { once: true },
          ),
          ctx.ask('go', CONFIRM).then(() => ctx.run('slow', () => gate.wait('slow'))),
        ]),
    });
    const world = await startWorld(graph);
    await world.restart();
    const requests = (await world.settled()).requests;
    const doubt = requests.find(request => request.about === 'doubt')!;
    const question = requests.find(request => request.about === 'ask')!;
    await world.box.answer(question.id, { action: 'approve' });
    await world.box.settle();
    expect(gate.has('slow')).toBe(true);
    await world.box.answer(doubt.id, { values: { outcome: 'repeat' } });
    await world.box.settle();
    gate.open('slow');
    expect(await world.settled()).toMatchObject({ status: 'completed', output: ['sent again', 'slow'] });
    expect(sent).toBe(2);
  });

  it('a handler that goes on after its node timed out: it begins no effect and reports nothing', async () => {
    const gate = gates();
    const done: string[] = [];
    const graph = codeGraph(
      {
        a: async ctx => {
          if (ctx.node.attempt > 1) return 'second attempt';
          await gate.wait('outside');
          await ctx.run('late', () => done.push('late'));
          ctx.decide('late', { chosen: 'late' });
          return 'first attempt';
        },
      },
      { nodes: { a: { timeout: '10s', retry: { attempts: 2, backoff: '1s' } } } },
    );
    const world = await startWorld(graph);
    await world.box.advance('10s');
    gate.open('outside');
    await world.box.settle();
    await world.box.advance('1m');
    expect(await world.settled()).toMatchObject({ status: 'completed', output: 'second attempt' });
    expect(done).toEqual([]);
    expect(await world.events('decision.made')).toEqual([]);
  });

  it('a handler that is told to stop and wants to begin another effect: it is let go without waiting for the grace time', async () => {
    const gate = gates();
    const done: string[] = [];
    const graph = codeGraph({
      a: async ctx => {
        await ctx.run('first', async () => {
          await gate.wait('first');
          return done.push('first');
        });
        await ctx.run('second', () => done.push('second'));
      },
    });
    const world = await startWorld(graph);
    await world.run.cancel();
    gate.open('first');
    expect((await world.settled()).status).toBe('cancelled');
    expect(done).toEqual(['first']);
  });

  it('code that ends without asking for what it recorded is a change of code, not a success', async () => {
    const world = await startWorld(
      codeGraph({
        a: ctx =>
          ctx
            .run('work', () => 1)
            .then(() => ctx.ask('go', CONFIRM))
            .then(() => 'one'),
      }),
    );
    await world.restart(codeGraph({ a: ctx => ctx.ask('go', CONFIRM).then(() => 'two') }));
    await world.answer();
    await world.box.advance('5s');
    expect(await world.settled()).toMatchObject({ status: 'suspended', reason: 'codeChanged' });
  });

  it('a crash with chains half recorded: each chain goes on where its own records end', async () => {
    const gate = gates();
    let life = 1;
    const done: string[] = [];
    const chain = async (ctx: Ctx, name: string) => {
      for (const step of [1, 2])
        await ctx.run(`${name}${step}`, async () => {
          done.push(`${name}${step}`);
          if (life === 1 && name === 'x' && step === 1) await gate.wait('x1');
        });
    };
    const graph = codeGraph({ a: ctx => Promise.all([chain(ctx, 'x'), chain(ctx, 'y')]).then(() => 'done') });
    const world = await startWorld(graph);
    expect(done).toEqual(['x1', 'y1', 'y2']);
    life = 2;
    await world.restart();
    expect(await world.settled()).toMatchObject({ status: 'completed', output: 'done' });
    expect(done).toEqual(['x1', 'y1', 'y2', 'x1', 'x2']);
  });
});
