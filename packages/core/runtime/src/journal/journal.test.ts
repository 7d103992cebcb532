import { describe, expect, it } from 'vitest';
import { CONFIRM, type Ctx, codeGraph } from './testing/code-graph.ts';
import { startWorld, World } from './testing/world.ts';

const counter = () => {
  const calls: string[] = [];
  const call = (name: string) => {
    calls.push(name);
    return name;
  };
  return { calls, call };
};

describe('the journal', () => {
  it('gives a recorded result instead of doing the effect again, after a wait as after a crash', async () => {
    const { calls, call } = counter();
    const graph = codeGraph({
      a: async ctx => {
        const before = await ctx.run('before', () => call('before'));
        await ctx.ask('go', CONFIRM);
        const after = await ctx.run('after', () => call('after'));
        await ctx.sleep('rest', '1h');
        return [before, after];
      },
    });
    const world = await startWorld(graph);
    await world.restart();
    await world.answer();
    await world.restart();
    await world.box.advance('1h');
    expect(await world.settled()).toMatchObject({ status: 'completed', output: ['before', 'after'] });
    expect(calls).toEqual(['before', 'after']);
  });

  it('tells operations of one name apart by their order, and those of groups by the group', async () => {
    const { calls, call } = counter();
    const graph = codeGraph({
      a: async ctx => {
        const branch = (name: string) => ctx.group(name, () => ctx.run('same', () => call(name)));
        const grouped = await Promise.all([branch('x'), branch('y')]);
        const rest = [await ctx.run('same', () => call('first')), await ctx.run('same', () => call('second'))];
        await ctx.ask('go', CONFIRM);
        return [...grouped, ...rest];
      },
    });
    const world = await startWorld(graph);
    await world.restart();
    await world.answer();
    expect((await world.settled()).output).toEqual(['x', 'y', 'first', 'second']);
    expect(calls).toHaveLength(4);
    const ops = (await world.events('op.recorded')).map(event => event.data.op);
    expect(ops.slice(0, 4)).toEqual(['x/same#1', 'y/same#1', 'same#1', 'same#2']);
  });

  it('gives the same time, chance and ids at every execution, and time goes on with what was waited for', async () => {
    const seen: unknown[][] = [];
    const graph = codeGraph({
      a: async ctx => {
        const values: unknown[] = [ctx.now(), ctx.random(), ctx.uuid(), ctx.uuid()];
        await ctx.run('work', () => 1);
        await ctx.refresh();
        values.push(ctx.now());
        await ctx.sleep('rest', '1h');
        values.push(ctx.now());
        seen.push(values);
        await ctx.ask('go', CONFIRM);
        values.push(ctx.now());
        seen.push(values);
      },
    });
    const world = await startWorld(graph);
    const start = world.box.clock.now();
    await world.box.advance('1h');
    await world.restart();
    await world.box.advance('1h');
    await world.answer();
    expect((await world.settled()).status).toBe('completed');
    const [first, ...others] = seen;
    for (const other of others) expect(other.slice(0, 6)).toEqual(first!.slice(0, 6));
    expect([first![0], first![4], first![5]]).toEqual([start, start, start + 3_600_000]);
    expect(seen.at(-1)![6]).toBe(start + 7_200_000);
    expect(first![2]).not.toBe(first![3]);
    expect(first![2]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('reads the state as it was when the node started, and anew only by a recorded refresh', async () => {
    const seen: unknown[] = [];
    const graph = codeGraph(
      {
        a: async ctx => {
          await ctx.ask('go', CONFIRM);
          const fresh = await ctx.refresh();
          seen.push([ctx.state.n, fresh.n]);
          await ctx.ask('again', CONFIRM);
          return [ctx.state.n, fresh.n];
        },
      },
      { state: { n: { schema: { type: 'integer', default: 1 } } } },
    );
    const world = await startWorld(graph);
    await world.run.edit({ n: 2 });
    await world.answer();
    await world.run.edit({ n: 3 });
    await world.restart();
    await world.answer();
    expect((await world.settled()).output).toEqual([1, 2]);
    expect(new Set(seen.map(pair => JSON.stringify(pair)))).toEqual(new Set(['[1,2]']));
  });

  it('records a decision once', async () => {
    const graph = codeGraph({
      a: async ctx => {
        ctx.decide('way', { chosen: 'left', options: ['left', 'right'], reason: 'shorter' });
        await ctx.ask('go', CONFIRM);
      },
    });
    const world = await startWorld(graph);
    await world.restart();
    await world.answer();
    expect((await world.settled()).status).toBe('completed');
    expect((await world.events('decision.made')).map(event => event.data.chosen)).toEqual(['left']);
  });

  it('hands a recorded error to the code the same way every time, whatever its class was', async () => {
    const caught: unknown[] = [];
    class Mine extends Error {
      readonly code = 'E_MINE';
    }
    let done = 0;
    const graph = codeGraph({
      a: async ctx => {
        try {
          await ctx.run('fails', () => {
            done += 1;
            throw new Mine('no');
          });
        } catch (error) {
          const { code, message } = error as Mine;
          caught.push([code, message, error instanceof Mine]);
        }
        await ctx.ask('go', CONFIRM);
        return 'handled';
      },
    });
    const world = await startWorld(graph);
    await world.restart();
    await world.answer();
    expect((await world.settled()).output).toBe('handled');
    expect(done).toBe(1);
    expect(caught.length).toBeGreaterThan(1);
    expect(new Set(caught.map(entry => JSON.stringify(entry)))).toEqual(new Set(['["E_MINE","no",false]']));
  });

  it('retries what failed and keeps what succeeded, with the same keys and the state of the first attempt', async () => {
    const { calls, call } = counter();
    const keys: string[] = [];
    const graph = codeGraph(
      {
        a: async ctx => {
          await ctx.run('good', () => call('good'));
          await ctx.run('bad', ({ idempotencyKey }) => {
            keys.push(idempotencyKey);
            call('bad');
            if (keys.length < 3) throw new Error('not yet');
          });
          return ctx.node.attempt;
        },
      },
      { nodes: { a: { retry: { attempts: 5, backoff: '2s' } } } },
    );
    const world = await startWorld(graph);
    await world.box.advance('1m');
    expect(await world.settled()).toMatchObject({ status: 'completed', output: 3 });
    expect(calls).toEqual(['good', 'bad', 'bad', 'bad']);
    expect(new Set(keys).size).toBe(1);
  });

  it('may go another way when a retry succeeds where the first attempt failed', async () => {
    let time = 0;
    const graph = codeGraph(
      {
        a: async ctx => {
          let by = 'first';
          try {
            await ctx.run('first choice', () => {
              time += 1;
              if (time === 1) throw new Error('down');
            });
          } catch {
            by = await ctx.run('second choice', () => 'second');
          }
          if (ctx.node.attempt === 1) throw new Error('try again');
          return by;
        },
      },
      { nodes: { a: { retry: { attempts: 2, backoff: '2s' } } } },
    );
    const world = await startWorld(graph);
    await world.box.advance('1m');
    expect(await world.settled()).toMatchObject({ status: 'completed', output: 'first' });
  });

  it('does not retry what was thrown as permanent inside an operation', async () => {
    let done = 0;
    const graph = codeGraph(
      {
        a: ctx =>
          ctx.run('never', () => {
            done += 1;
            throw Object.assign(new Error('no'), { [Symbol.for('signalbox.permanent')]: true });
          }),
      },
      { nodes: { a: { retry: { attempts: 5, backoff: '2s' } } } },
    );
    const world = await startWorld(graph);
    await world.box.advance('1m');
    expect((await world.settled()).status).toBe('failed');
    expect(done).toBe(1);
  });

  it("takes over, on a controller's retry, what was done with the same arguments, and reads the state anew", async () => {
    const { calls, call } = counter();
    let broken = true;
    const graph = codeGraph(
      {
        a: async ctx => {
          await ctx.run('kept', () => call('kept'));
          await ctx.run('changed', () => call('changed'), { args: { n: ctx.state.n } });
          if (broken) throw new Error('broken');
          return [ctx.state.n, ctx.node.visit];
        },
      },
      { state: { n: { schema: { type: 'integer', default: 1 } } } },
    );
    const world = await startWorld(graph);
    expect((await world.settled()).status).toBe('failed');
    broken = false;
    await world.run.edit({ n: 2 });
    await world.run.retry();
    expect(await world.settled()).toMatchObject({ status: 'completed', output: [2, 2] });
    expect(calls).toEqual(['kept', 'changed', 'changed']);
  });

  it("asks anew, on a controller's retry, what is asked otherwise now", async () => {
    let title = 'One?';
    const graph = codeGraph({
      a: async ctx => {
        const answer = await ctx.ask('go', { ...CONFIRM, title });
        if (title === 'One?') throw new Error('broken');
        return answer.action;
      },
    });
    const world = await startWorld(graph);
    await world.answer();
    expect((await world.settled()).status).toBe('failed');
    title = 'Two?';
    await world.run.retry();
    expect((await world.settled()).requests).toMatchObject([{ title: 'Two?' }]);
    await world.answer('reject');
    expect(await world.settled()).toMatchObject({ status: 'completed', output: 'reject' });
  });

  const differences: readonly [string, (ctx: Ctx) => Promise<unknown>, RegExp][] = [
    ['is gone', async ctx => ctx.ask('go', CONFIRM), /work#1/],
    [
      'has other arguments',
      async ctx => {
        await ctx.run('work', () => 1, { args: 2 });
        await ctx.ask('go', CONFIRM);
      },
      /run "work#1".*run "work#1"/,
    ],
    [
      'is of another kind',
      async ctx => {
        await ctx.sleep('work', '1h');
        await ctx.ask('go', CONFIRM);
      },
      /run "work#1".*sleep "work#1"/,
    ],
  ];
  it.each(differences)(
    'suspends a run whose recorded operation %s, and goes on once the code is mended',
    async (_, code, told) => {
      const good = (ctx: Ctx) => ctx.run('work', () => 1, { args: 1 }).then(() => ctx.ask('go', CONFIRM));
      const world = await startWorld(codeGraph({ a: good }));
      await world.restart(codeGraph({ a: code }));
      await world.answer();
      await world.box.advance('5s');
      const view = await world.settled();
      expect(view).toMatchObject({ status: 'suspended', reason: 'codeChanged' });
      expect(String(view.details?.difference)).toMatch(told);
      await world.restart(codeGraph({ a: good }));
      expect((await world.view()).reason).toBe('codeChanged');
      await world.run.resume();
      expect((await world.settled()).status).toBe('completed');
    },
  );

  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  const notJson: readonly [string, unknown, string][] = [
    ['a Map', { a: new Map() }, '/a'],
    ['a Date', [new Date(0)], '/0'],
    ['a BigInt', { deep: { n: 1n } }, '/deep/n'],
    ['NaN', { n: Number.NaN }, '/n'],
    ['a cycle', cycle, '/self'],
  ];
  it.each(notJson)(
    'records a result that holds %s as failed for good, and does not repeat the effect',
    async (_, value, pointer) => {
      let done = 0;
      const graph = codeGraph(
        {
          a: ctx =>
            ctx.run('work', () => {
              done += 1;
              return value;
            }),
        },
        { nodes: { a: { retry: { attempts: 3, backoff: '10ms' } } } },
      );
      const world = await startWorld(graph);
      await world.box.advance('1m');
      expect(await world.settled()).toMatchObject({
        status: 'failed',
        error: { code: 'InvalidValue', details: { pointer } },
      });
      expect(done).toBe(1);
    },
  );

  it('keeps the log as it was, whatever a handler does to what it returned or reads', async () => {
    const tries: string[] = [];
    const change = (what: string, fn: () => void) => {
      try {
        fn();
        tries.push(`${what} changed`);
      } catch (error) {
        tries.push(`${what}: ${(error as Error).name}`);
      }
    };
    const mine = { list: [1] };
    const graph = codeGraph(
      {
        a: async ctx => {
          change('input', () => (ctx.input as { tags: string[] }).tags.push('x'));
          change('state', () => (ctx.state.items as number[]).push(9));
          const result = await ctx.run('work', () => mine);
          mine.list.push(2);
          change('result', () => result.list.push(3));
          ctx.update({ items: [mine] });
          mine.list.push(4);
          await ctx.ask('go', CONFIRM);
          change('result again', () => result.list.push(5));
          const given = { out: [1] };
          setImmediate(() => given.out.push(2));
          return given;
        },
        b: ctx => {
          change('given', () => (ctx.given as { out: number[] }).out.push(3));
          return ctx.state.items;
        },
      },
      { state: { items: { schema: { type: 'array' }, reducer: 'append' } } },
    );
    const world = await new World(graph).start({ tags: [] });
    await world.restart();
    await world.answer();
    const view = await world.settled();
    expect(view.status).toBe('completed');
    expect(new Set(tries.filter(told => !told.endsWith('TypeError')))).toEqual(new Set());
    expect((await world.events('run.started'))[0]!.data.input).toEqual({ tags: [] });
    expect((await world.events('op.recorded'))[0]!.data.value).toEqual({ list: [1] });
    expect((await world.events('node.succeeded'))[0]!.data.output).toEqual({ out: [1] });
  });
});
