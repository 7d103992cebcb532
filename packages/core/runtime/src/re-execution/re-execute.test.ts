import type { Commit, JsonValue } from '@signalbox/kernel';
import { loadProgram } from '@signalbox/kernel';
import type { TestboxOptions } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { CheckVerdict } from '../drive/driver-deps.ts';
import { exportRun } from '../integrity/export-run.ts';
import { importRun } from '../integrity/import-run.ts';
import { CONFIRM, type Code, type CodeGraphOptions, type Ctx, codeGraph } from '../journal/testing/code-graph.ts';
import { startWorld, type World } from '../journal/testing/world.ts';
import { readCommits } from '../views/commits.ts';
import { type ReExecution, reExecute } from './re-execute.ts';
import { reExecuteRun } from './re-execute-run.ts';

type Nodes = Readonly<Record<string, Code>>;

async function begun(code: Nodes, options: CodeGraphOptions & { readonly box?: TestboxOptions } = {}): Promise<World> {
  const { box, ...graph } = options;
  return await startWorld(codeGraph(code, graph), box);
}

async function historyOf(world: World): Promise<Commit[]> {
  const history: Commit[] = [];
  for await (const commit of readCommits(world.box.store, world.id)) history.push(commit);
  return history;
}

/** The run of that world with other code; effects are forbidden. */
async function again(world: World, code?: Nodes, options: CodeGraphOptions = {}): Promise<ReExecution> {
  if (code === undefined) return await reExecuteRun(world.box.engine, world.id);
  const { handlers, program } = codeGraph(code, options);
  const build = {
    handler: (key: string) => handlers.get(key),
    program: async () => program,
    codec: world.box.engine.codec,
  };
  return await reExecute(await historyOf(world), build, { patience: 100 });
}

const quote = (ctx: Ctx) => ctx.run('quote', () => 12);
const sure = (ctx: Ctx) => ctx.ask('sure', CONFIRM);

describe('a run executed once more comes out the same', () => {
  it('with operations, decisions, writes, derived values and reads, and does nothing', async () => {
    let done = 0;
    const world = await begun(
      {
        work: async ctx => {
          const cost = await ctx.run('quote', () => {
            done += 1;
            return 12;
          });
          await ctx.run('pay', () => (done += 1), { once: true, key: 'own', args: { cost } });
          ctx.decide('way', { chosen: 'card', options: ['card', 'cash'] });
          ctx.update({ sum: cost });
          const { sum } = await ctx.refresh();
          const [a, b] = await Promise.all([ctx.run('a', () => 'a'), ctx.group('g', () => ctx.run('a', () => 'ga'))]);
          return { id: ctx.uuid(), at: ctx.now(), luck: ctx.random(), sum: sum ?? null, a, b };
        },
      },
      { state: { sum: { schema: { type: 'number' }, reducer: 'sum' } } },
    );
    const { seq } = (await world.events()).at(-1)!;
    expect(await again(world)).toEqual({ runId: world.id, same: true, from: 1, to: seq });
    expect(done).toBe(2);
  });

  it('with failures that were caught, retries at once and retries later', async () => {
    const fails = (code: string) => () => {
      throw Object.assign(new Error(code), { code });
    };
    const world = await begun(
      {
        flaky: async ctx => {
          await ctx.run('soft', fails('E_SOFT')).catch(() => undefined);
          await ctx.run('hard', ctx.node.attempt < 3 ? fails('E_HARD') : () => 'third');
        },
      },
      { nodes: { flaky: { retry: { attempts: 3, backoff: '5s' } } } },
    );
    await world.box.advance('1m');
    expect(await world.view()).toMatchObject({ status: 'completed' });
    expect(await again(world)).toMatchObject({ same: true });
  });

  it('with questions, answers and refused answers', async () => {
    const form = { kind: 'form', title: 'How much?', fields: [{ name: 'sum', type: 'number', label: 'Sum', max: 9 }] };
    const world = await begun({
      ask: async ctx => {
        await ctx.run('quote', () => 12);
        const { values } = await ctx.ask('sum', { ...form, deadline: { after: '1h', onExpire: 'route' } });
        const late = await ctx.ask('late', { ...CONFIRM, deadline: { after: '1h', onExpire: 'route' } });
        return { values: values as JsonValue, late: late.action as JsonValue };
      },
    });
    await world.run.answer({ values: { sum: 10 }, as: 'user:finn' }).catch(() => undefined);
    await world.run.answer({ values: { sum: 3 }, as: 'user:finn', note: 'fine', key: 'k' });
    await world.box.advance('2h');
    expect(await world.view()).toMatchObject({ status: 'completed', output: { late: 'expired' } });
    expect(await again(world)).toMatchObject({ same: true });
  });

  it('with sleeps, signals and the first of several', async () => {
    const world = await begun({
      wait: async ctx => {
        await ctx.sleep('nap', '10m');
        const order = await ctx.signal('paid');
        return { order, first: await ctx.first({ late: { for: '1h' }, come: { signal: 'come' } }) };
      },
    });
    await world.run.signal('paid', { order: 7 }, { id: 'm1', as: 'service:shop' });
    await world.box.advance('10m');
    await world.run.signal('come', 1);
    expect(await world.settled()).toMatchObject({ status: 'completed' });
    expect(await again(world)).toMatchObject({ same: true });
  });

  it('with an operation in doubt after a crash, and with one that took too long', async () => {
    const world = await begun({
      crash: ctx => ctx.run('pay', () => new Promise(() => {}), { once: true, timeout: '1h' }),
      slow: ctx => ctx.run('send', () => new Promise(() => {}), { once: true, timeout: '10s' }),
    });
    await world.restart();
    await world.answer('approve', { outcome: 'done', result: '"paid"' });
    await world.box.advance('11s');
    await world.answer('approve', { outcome: 'done', result: '"sent"' });
    expect(await world.view()).toMatchObject({ status: 'completed', output: 'sent' });
    expect(await again(world)).toMatchObject({ same: true });
  });

  it('with a node that took too long, and one whose process crashed too often', async () => {
    const world = await begun(
      {
        slow: () => new Promise(() => {}),
        deadly: ctx => ctx.run('x', () => new Promise(() => {}), { timeout: '1h' }),
      },
      {
        nodes: { slow: { timeout: '5s' } },
        routes: { slow: [{ to: ['deadly'], on: ['failed'] }] },
        box: { crashLimit: 2 },
      },
    );
    await world.box.advance('6s');
    for (const _ of [1, 2]) await world.restart();
    expect(await world.view()).toMatchObject({ status: 'failed', error: { code: 'CrashLoop' } });
    expect(await again(world)).toMatchObject({ same: true });
  });

  it('with branches and items side by side', async () => {
    const item = async (ctx: Ctx) => {
      await ctx.run('look', () => 1);
      return await ctx.run('take', () => 2);
    };
    const forked = await begun(
      {
        fork: () => ({}),
        left: item,
        right: async ctx => [await sure(ctx), await item(ctx)].length,
        join: () => 'all',
      },
      {
        nodes: { join: { join: 'all' } as never },
        routes: { fork: [{ to: ['left', 'right'] }], left: [{ to: ['join'] }], right: [{ to: ['join'] }] },
      },
    );
    await forked.answer();
    expect(await again(forked)).toMatchObject({ same: true });
  });

  it('with a pass begun anew by an answer', async () => {
    const world = await begun(
      {
        search: async ctx => {
          const found = await quote(ctx);
          if (ctx.answers.length === 0) await ctx.ask('city', { ...CONFIRM, resume: { mode: 'restart' } });
          return [found, ctx.answers.length];
        },
      },
      { nodes: { search: { restartTargets: ['search'] } } },
    );
    await world.answer();
    expect(await world.view()).toMatchObject({ status: 'completed', output: [12, 1] });
    expect(await again(world)).toMatchObject({ same: true });
  });

  it('with what a controller did: pause, step, edit, jump, retry, note, resume, rollback, cancel', async () => {
    const world = await begun(
      { first: quote, second: sure, third: ctx => ctx.state.sum ?? null },
      { state: { sum: { schema: { type: 'number' } } } },
    );
    const act = { as: 'user:finn', reason: 'look' } as const;
    await world.run.pause(act);
    await world.run.edit({ sum: 4 }, act);
    await world.run.edit({}, { ...act, remove: ['sum'] });
    await world.run.note('checked', act);
    await world.run.jump('first', act);
    await world.run.step(act);
    await world.box.settle();
    await world.run.resume(act);
    await world.box.settle();
    await world.run.retry({ ...act, node: 'second' });
    await world.box.settle();
    await world.run.rollback(4, act);
    await world.box.settle();
    await world.run.cancel(act);
    expect(await world.view()).toMatchObject({ status: 'cancelled' });
    expect(await again(world)).toMatchObject({ same: true });
  });

  it('with who claimed a question, gave it back, was reminded of it, approved it with others, and withdrew another', async () => {
    const world = await begun({
      work: ctx => ctx.ask('sure', { ...CONFIRM, quorum: 2, remind: [{ after: '1h' }, { after: '2h' }] }),
      more: async ctx => {
        await ctx.run('told', () => 1);
        return await ctx.ask('else', CONFIRM);
      },
    });
    const open = async () => (await world.view()).requests[0]!.id;
    const { engine } = world.box;
    const by = (id: string) => ({ kind: 'user', id }) as const;
    const request = await open();
    await engine.command(world.id, { type: 'claimRequest', request }, by('ann'));
    await engine.command(world.id, { type: 'claimRequest', request, takeOver: true }, by('bea'));
    await engine.command(world.id, { type: 'releaseRequest', request, reason: 'busy' }, by('bea'));
    await world.box.advance('3h');
    await engine.command(world.id, { type: 'answer', request, action: 'accept', key: 'k1' }, by('ann'));
    await engine.command(world.id, { type: 'answer', request, action: 'approve' }, by('bea'));
    await world.box.settle();
    await engine.command(world.id, { type: 'withdrawRequest', request: await open(), reason: 'too late' }, by('cy'));
    await world.box.settle();
    const types = (await historyOf(world)).flatMap(({ events }) => events.map(({ type }) => type));
    for (const type of ['claimed', 'released', 'reminded', 'endorsed', 'answered', 'withdrawn'])
      expect(types).toContain(`request.${type}`);
    expect(await again(world)).toMatchObject({ same: true });
  });

  it('with a retry of what had failed, by another process with mended code', async () => {
    const world = await begun({
      work: async ctx => {
        await ctx.run('quote', () => 12);
        throw new Error('broken');
      },
    });
    const mended = { work: quote };
    await world.restart(codeGraph(mended));
    await world.run.retry({ reason: 'mended' });
    expect(await world.settled()).toMatchObject({ status: 'completed' });
    expect(await again(world)).toMatchObject({ same: false, difference: { left: 'node.failed' } });
  });

  it('with checks that paused, asked and denied, and asks nobody anew', async () => {
    let asked = 0;
    const said = [
      { verdict: 'pause', reason: 'office hours' },
      { verdict: 'ask', title: 'May it?' },
      { verdict: 'deny', reason: 'never' },
    ] as const;
    const check = {
      name: 'gate',
      before: ({ node }: { node: string }) => [asked++, said[['a', 'b', 'c'].indexOf(node)]!],
    };
    const world = await begun(
      { a: quote, b: quote, c: quote },
      { box: { checks: [{ name: check.name, before: task => check.before(task)[1] as (typeof said)[number] }] } },
    );
    await world.run.resume({ reason: 'open' });
    await world.box.settle();
    await world.answer();
    expect(await world.view()).toMatchObject({ status: 'failed', error: { code: 'Denied' } });
    const before = asked;
    expect((await again(world)).difference?.text).toBeUndefined();
    expect(asked).toBe(before);
  });

  it('with checks before nodes that have no handler', async () => {
    const said: Record<string, CheckVerdict> = {
      shape: { verdict: 'pause', reason: 'office hours' },
      sure: { verdict: 'ask', title: 'May it ask?' },
      last: { verdict: 'deny', reason: 'never' },
    };
    const world = await begun(
      { a: quote },
      {
        nodes: {
          shape: { type: 'transform', output: { n: 'output' } },
          sure: { type: 'ask', request: CONFIRM },
          last: { type: 'transform' },
        } as never,
        routes: { a: [{ to: ['shape'] }], shape: [{ to: ['sure'] }], sure: [{ to: ['last'] }] },
        box: { checks: [{ name: 'gate', before: ({ node }) => said[node] ?? { verdict: 'allow' } }] },
      },
    );
    await world.run.resume({ reason: 'open' });
    await world.box.settle();
    await world.answer();
    await world.answer();
    expect(await world.view()).toMatchObject({ status: 'failed', error: { code: 'Denied' } });
    expect((await again(world)).difference?.text).toBeUndefined();
  });

  it('with a limit at which a person let it go on, and one at which nobody did', async () => {
    for (const action of ['approve', 'reject']) {
      const world = await begun(
        { a: ctx => ctx.run(`round ${ctx.node.visit}`, () => ctx.node.visit) },
        {
          nodes: { a: { limits: { maxVisits: 2, onReached: 'ask' } } },
          routes: { a: [{ to: ['end'], when: 'output == 3' }, { to: ['a'] }] },
        },
      );
      await world.answer(action);
      expect((await world.settled()).status).toBe(action === 'approve' ? 'completed' : 'failed');
      expect((await again(world)).difference?.text).toBeUndefined();
    }
  });

  it('with a signal that came before its wait and did not fit', async () => {
    const schema = z.object({ sum: z.number() });
    const signal = (ctx: Ctx) =>
      (ctx as unknown as { signal(name: string, schema: unknown): unknown }).signal('paid', schema);
    const world = await begun({ first: sure, second: signal });
    await world.run.signal('paid', 'garbage');
    await world.answer();
    await world.run.signal('paid', { sum: 1 });
    expect(await world.settled()).toMatchObject({ status: 'completed', output: { sum: 1 } });
    expect((await again(world)).difference?.text).toBeUndefined();
  });

  it('from where a fork left its parent', async () => {
    const world = await begun({ first: quote, second: sure, third: quote });
    const child = await world.run.fork({ at: 5, reason: 'what if' });
    await world.box.settle();
    await child.answer({ action: 'approve' });
    await child.settled();
    const { from, same } = await reExecuteRun(world.box.engine, child.id);
    expect(same).toBe(true);
    expect(from).toBeGreaterThan(3);
  });

  it('from where a fork left a parent at work, also where no log told yet how long nobody was', async () => {
    const world = await begun({ work: ctx => ctx.run('long', () => new Promise(() => {})) });
    await world.box.advance('10s');
    const child = await world.run.fork({ reason: 'what if' });
    await world.box.settle();
    const history: Commit[] = [];
    for await (const commit of readCommits(world.box.store, child.id)) history.push(commit);
    const told = history.flatMap(({ events }) => events).find(({ type }) => type === 'run.forked');
    expect(told?.data.idle).toBe(10_000);
    expect(await reExecuteRun(world.box.engine, child.id)).toMatchObject({ same: true });
    const before = history.map(commit => ({
      ...commit,
      events: commit.events.map(({ data: { idle: _, ...data }, ...event }) => ({ ...event, data })),
    }));
    const { engine } = world.box;
    const build = {
      handler: (key: string) => engine.graphs.handler(key),
      program: (hash: string) => engine.graphs.program(hash),
      codec: engine.codec,
    };
    expect(await reExecute(before, build, { patience: 100 })).toMatchObject({ same: true });
  });

  it('up to where a run is, also in the middle of its work', async () => {
    const world = await begun({
      work: async ctx => [await quote(ctx), await ctx.run('long', () => new Promise(() => {}))],
    });
    expect(await again(world)).toMatchObject({ same: true });
  });

  it('without starting the code of a node that the log tells nothing more of', async () => {
    let begins = 0;
    const world = await begun({
      work: async ctx => {
        begins += 1;
        return (await quote(ctx)) + 1;
      },
      last: async () => {
        begins += 1;
        await new Promise(() => {});
      },
    });
    const { seq } = (await world.events()).at(-1)!;
    begins = 0;
    expect(await again(world)).toMatchObject({ same: true, to: seq });
    expect(begins).toBe(1);
  });

  it('under another id', async () => {
    const world = await begun({ ask: sure });
    const lines: string[] = [];
    for await (const line of exportRun(world.box.store, world.id, { madeAt: '2026-01-01T00:00:00.000Z' }))
      lines.push(line);
    await importRun(world.box.store, () => lines, { as: 'run_copy', rowsOf: () => ({ runs: [], requests: [] }) });
    expect(await reExecuteRun(world.box.engine, 'run_copy')).toMatchObject({ same: true });
  });

  it('as far as its values are there: one that was erased ends the comparison', async () => {
    const world = await begun(
      { small: quote, big: () => 'x'.repeat(2_000), last: () => 1 },
      { box: { payloadLimit: 1_000 } },
    );
    let digest = '';
    for await (const payload of world.run.payloads()) digest = payload.digest;
    expect(digest).not.toBe('');
    await world.run.erase(digest);
    expect(await again(world)).toMatchObject({ same: true, erased: true, from: 1 });
  });
});

describe('a run that would go another way is told by its first difference', () => {
  const code: Nodes = {
    work: async ctx => {
      const cost = await quote(ctx);
      await sure(ctx);
      return cost;
    },
  };

  async function changed(next: Nodes, options?: CodeGraphOptions): Promise<ReExecution> {
    const world = await begun(code);
    await world.answer();
    expect(await again(world, code)).toMatchObject({ same: true });
    return await again(world, next, options);
  }

  it('another output', async () => {
    const work = async (ctx: Ctx) => [await quote(ctx), await sure(ctx), 13].at(-1);
    const { difference } = await changed({ work });
    expect(difference).toMatchObject({ type: 'node.succeeded', path: '/data/output', left: 12, right: 13 });
    expect(difference?.node).toEqual({ token: '', node: 'work', visit: 1 });
    expect(difference?.text).toMatch(/of node "work": node\.succeeded \/data\/output: recorded 12, now 13$/);
  });

  it.each<[what: string, work: Code, text: string]>([
    [
      'an operation more',
      async ctx => [await ctx.run('check', () => 1), await quote(ctx)],
      'now it does "check" first',
    ],
    ['an operation less', async ctx => [await sure(ctx), 12], 'now there comes request.opened of "sure#1"'],
    ['another question', async ctx => [await quote(ctx), await ctx.ask('sure', { ...CONFIRM, title: 'Go?' })], 'Go?'],
    ['no question', async ctx => [await quote(ctx)], 'now there comes node.succeeded'],
    ['other arguments', async ctx => [await ctx.run('quote', () => 1, { args: [2] }), await sure(ctx)], '/data/digest'],
    ['an error', () => Promise.reject(new Error('no')), 'now there comes node.failed'],
    ['code that comes to nothing', () => new Promise(() => {}), 'now its code comes to nothing like it'],
  ])('%s', async (_, work, text) => {
    const { same, difference } = await changed({ work });
    expect(same).toBe(false);
    expect(difference?.text).toContain(text);
  });

  it('code that is not there', async () => {
    const world = await begun(code);
    const { program } = codeGraph(code);
    const build = { handler: () => undefined, program: async () => program, codec: world.box.engine.codec };
    const { difference } = await reExecute(await historyOf(world), build, { patience: 100 });
    expect(difference?.text).toContain('this build has no code for work@1');
  });

  it('a log that says otherwise than its definition', async () => {
    const world = await begun({ a: quote, b: quote });
    const other = { ...codeGraph({ a: quote, b: quote }).definition, entry: 'b' };
    const { handlers } = codeGraph({ a: quote, b: quote });
    const build = {
      handler: (key: string) => handlers.get(key),
      program: async () => loadProgram(other as never),
      codec: world.box.engine.codec,
    };
    const { difference } = await reExecute(await historyOf(world), build, { patience: 100 });
    expect(difference).toMatchObject({ seq: 1, type: 'run.started' });
  });

  it('an effect is never done, whatever changed', async () => {
    let done = 0;
    const effect = () => (done += 1);
    await changed({
      work: async ctx => [await ctx.run('quote', effect), await ctx.run('more', effect, { once: true })],
    });
    expect(done).toBe(0);
  });
});
