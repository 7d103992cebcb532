import { DatabaseSync } from '@photostructure/sqlite';
import { append, defineGraph, graphFromDefinition, loadGraph } from 'signalbox';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { all, codeOf, createLab, STORES } from './testing/lab.ts';

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

describe.each(STORES)('on %s', store => {
  function twoWriters(slow: 'A' | 'B', writesStatus: boolean) {
    const desk = defineGraph({
      name: 'writers',
      input: z.object({}),
      state: z.object({ status: z.string().default('new'), trail: append(z.array(z.string())) }),
    });
    const writer = (name: 'A' | 'B', status: string) =>
      desk.step(async ctx => {
        if (name === slow) await pause(5);
        ctx.update({ trail: [name], ...(writesStatus ? { status } : {}) });
      });
    return desk.build({
      entry: 'fork',
      nodes: {
        fork: desk.transform({}),
        A: writer('A', 'ok'),
        B: writer('B', 'late'),
        join: desk.join(),
      },
      routes: { fork: [{ to: ['A', 'B'] }], A: [{ to: 'join' }], B: [{ to: 'join' }] },
    });
  }

  it('C10 two branches writing one plain key is an error, not a race', async () => {
    const box = createLab(store).open();
    const errors = new Set<string>();
    for (let time = 0; time < 20; time += 1) {
      const run = await box.start(twoWriters(time % 2 === 0 ? 'A' : 'B', true), {});
      const view = await run.settled();
      if (view.status !== 'failed') throw new Error(`It is ${view.status}.`);
      errors.add(`${view.error.code}: ${view.error.message}`);
      expect(await run.state()).toEqual({ status: 'new', trail: [] });
    }
    expect([...errors]).toEqual([expect.stringMatching(/^StateConflictError: .*status.*/)]);
    expect([...errors][0]).toMatch(/A\b.*B\b/);
    for (const slow of ['A', 'B'] as const) {
      const run = await box.start(twoWriters(slow, false), {});
      expect((await run.settled()).status).toBe('completed');
      expect(await run.state()).toEqual({ status: 'new', trail: ['A', 'B'] });
    }
  });

  it('C11 a subgraph sharing an appended list does not double it', async () => {
    const log = z.object({ log: append(z.array(z.string())) });
    const s = defineGraph({ name: 's', input: z.object({}), state: log });
    const S = s.build({ entry: 'w', nodes: { w: s.transform({ update: { log: '["s1"]' } }) }, routes: {} });
    const t = defineGraph({ name: 't', input: z.object({}), state: log });
    const T = t.build({ entry: 'inner', nodes: { inner: t.subgraph(S, { share: ['log'] }) }, routes: {} });
    const q = defineGraph({ name: 'q', input: z.object({}), state: log });
    const quiet = q.build({ entry: 'n', nodes: { n: q.transform({}) }, routes: {} });
    const box = createLab(store).open();
    const logOf = async (inner: typeof S | typeof T | typeof quiet) => {
      const p = defineGraph({ name: `p-${inner.name}`, input: z.object({}), state: log });
      const graph = p.build({
        entry: 'before',
        nodes: {
          before: p.transform({ update: { log: '["p1"]' } }),
          inner: p.subgraph(inner as typeof S, { share: ['log'] }),
          after: p.transform({ update: { log: '["p2"]' } }),
        },
        routes: { before: [{ to: 'inner' }], inner: [{ to: 'after' }] },
      });
      const run = await box.start(graph, {});
      expect((await run.settled()).status).toBe('completed');
      return (await run.state()).log;
    };
    expect(await logOf(S)).toEqual(['p1', 's1', 'p2']);
    expect(await logOf(T)).toEqual(['p1', 's1', 'p2']);
    expect(await logOf(quiet)).toEqual(['p1', 'p2']);
  });

  function sleepers(items: readonly number[], concurrency: number, failing?: number) {
    const desk = defineGraph({ name: 'sleepers', input: z.object({}) });
    return desk.build({
      entry: 'each',
      nodes: {
        each: desk.map({
          items: JSON.stringify(items),
          concurrency,
          onError: 'collect',
          body: desk.step(async ctx => {
            const item = ctx.given as number;
            await pause(item);
            if (item === failing) throw Object.assign(new Error('too small'), { code: 'E_SMALL' });
            return item * 2;
          }),
        }),
        report: desk.transform({ input: { list: 'output' } }),
      },
      routes: { each: [{ to: 'report' }] },
    });
  }

  it('C12 parallel map results line up with their inputs; an empty map yields an empty list', async () => {
    const box = createLab(store).open();
    const listOf = async (graph: ReturnType<typeof sleepers>) => {
      const run = await box.start(graph, {});
      const view = await run.settled();
      if (view.status !== 'completed') throw new Error(`It is ${view.status}.`);
      const reports = (await all(run.events())).filter(
        event => event.type === 'node.succeeded' && event.data.node === 'report',
      );
      expect(reports).toHaveLength(1);
      return (view.output as { list: unknown }).list;
    };
    expect(await listOf(sleepers([30, 10, 20], 3))).toEqual([60, 20, 40]);
    expect(await listOf(sleepers([30, 10, 20], 3, 10))).toEqual([
      60,
      { error: { code: 'E_SMALL', message: 'too small' } },
      40,
    ]);
    expect(await listOf(sleepers([], 3))).toEqual([]);
    expect(await listOf(sleepers([30, 10, 20], 1))).toEqual([60, 20, 40]);
  });

  it('C13 a merge node runs once, whichever of its inputs were active', async () => {
    const box = createLab(store).open();
    const visitsOf = async (graph: ReturnType<typeof forked> | ReturnType<typeof diamond>, input: object) => {
      const run = await box.start(graph as ReturnType<typeof forked>, input as { x: number; y: number });
      const view = await run.settled();
      const started = (await all(run.events())).filter(event => event.type === 'node.started');
      const count = (node: string) => started.filter(event => event.data.node === node).length;
      return { view, count };
    };
    function forked(slow: 'a' | 'b') {
      const desk = defineGraph({ name: 'forked', input: z.object({ x: z.number(), y: z.number() }) });
      const worker = (name: 'a' | 'b') => desk.step(() => (name === slow ? pause(10) : undefined));
      return desk.build({
        entry: 'start',
        nodes: {
          start: desk.transform({}),
          if1: desk.transform({}),
          if2: desk.transform({}),
          a: worker('a'),
          b: worker('b'),
          J: desk.step({ join: 'all' }, () => 'merged'),
        },
        routes: {
          start: [{ to: ['if1', 'if2'] }],
          if1: [{ to: 'a', when: 'input.x > 0' }, { to: 'end' }],
          if2: [{ to: 'b', when: 'input.y > 0' }, { to: 'end' }],
          a: [{ to: 'J' }],
          b: [{ to: 'J' }],
        },
      });
    }
    for (const slow of ['a', 'b'] as const)
      for (const [x, y] of [
        [1, 1],
        [1, 0],
        [0, 1],
        [0, 0],
      ] as const) {
        const { view, count } = await visitsOf(forked(slow), { x, y });
        expect([x, y, view.status, count('a'), count('b'), count('J')]).toEqual([
          x,
          y,
          'completed',
          x,
          y,
          x || y ? 1 : 0,
        ]);
        expect('reason' in view ? view.reason : undefined).toBe(x || y ? undefined : 'noArrival');
      }
    function diamond() {
      const desk = defineGraph({ name: 'diamond', input: z.object({ yes: z.boolean() }) });
      return desk.build({
        entry: 'cond',
        nodes: { cond: desk.transform({}), u: desk.transform({}), m: desk.transform({}) },
        routes: { cond: [{ to: 'u', when: 'input.yes' }, { to: 'm' }], u: [{ to: 'm' }] },
      });
    }
    for (const yes of [true, false]) {
      const { view, count } = await visitsOf(diamond(), { yes });
      expect([view.status, count('u'), count('m')]).toEqual(['completed', yes ? 1 : 0, 1]);
    }
  });

  it('C14 values that no store could keep are refused at write time with their path', async () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    const box = createLab(store).open();
    for (const [value, pointer] of [
      [Number.NaN, '/plan/bad'],
      [new Map([['a', 1]]), '/plan/bad'],
      [cycle, '/plan/bad/self'],
      [10n, '/plan/bad'],
    ] as const) {
      const desk = defineGraph({ name: 'plan', input: z.object({}), state: z.object({ plan: z.any().optional() }) });
      const graph = desk.build({
        entry: 'a',
        nodes: { a: desk.step(ctx => ctx.update({ plan: { bad: value } })) },
        routes: {},
      });
      const run = await box.start(graph, {});
      expect(await run.settled()).toMatchObject({
        status: 'failed',
        error: { code: 'InvalidValue', details: { pointer } },
      });
      expect(await run.state()).toEqual({});
    }
  });

  const BROKEN_INTO: readonly [string, boolean][] = [
    ['a\u0000b', false],
    ['\ud83d', false],
    ['😀', true],
    ['\\u0000', true],
    ['審批\n\t\u0001', true],
  ];

  it('C26 NUL, half surrogates and look-alikes behave the same on every store', async () => {
    const desk = defineGraph({
      name: 'texts',
      input: z.object({ text: z.string() }),
      state: z.object({ tool: z.string().optional(), answer: z.string().optional() }),
    });
    let done = 0;
    let toolGives = '';
    const graph = desk.build({
      entry: 'tool',
      nodes: {
        tool: desk.step(async ctx => {
          const value = await ctx.run('effect', () => {
            done += 1;
            return toolGives;
          });
          ctx.update({ tool: value });
        }),
        form: desk.ask({
          title: 'Text?',
          form: z.object({ text: z.string() }),
          update: { answer: 'output.values.text' },
        }),
      },
      routes: { tool: [{ to: 'form' }] },
    });
    const lab = createLab(store);
    let box = lab.open({ graphs: [graph] });
    for (const [text, fine] of BROKEN_INTO) {
      toolGives = 'fine';
      done = 0;
      if (!fine) {
        expect(await codeOf(box.start(graph, { text }))).toBe('InvalidValue');
        expect(done).toBe(0);
        toolGives = text;
        const refused = await box.start(graph, { text: 'x' });
        expect(await refused.settled()).toMatchObject({ status: 'failed', error: { code: 'InvalidValue' } });
        expect(done).toBe(1);
        toolGives = 'fine';
        const asking = await box.start(graph, { text: 'x' });
        await asking.settled();
        expect(await codeOf(asking.answer({ values: { text } }))).toMatch(/^Invalid(Value|Answer)$/);
        expect((await asking.view()).requests).toHaveLength(1);
        continue;
      }
      toolGives = text;
      const { id } = await box.start(graph, { text });
      await box.get(id).settled();
      await box.get(id).answer({ values: { text } });
      expect((await box.get(id).settled()).status).toBe('completed');
      box = await lab.restart(box, { graphs: [graph] });
      expect(await box.get(id).state()).toEqual({ tool: text, answer: text });
      expect((await all(box.get(id).events()))[0]?.data.input).toEqual({ text });
    }
  });
});

it('C14 a stored value that cannot be read stops the run loudly', async () => {
  const { definition } = loadGraph(`
name: planner
entry: plan
input: { type: object }
state: { type: object, properties: { plan: { type: object } } }
nodes:
  plan: { type: transform, update: { plan: '{"steps": ["x", "y"]}' } }
  go: { type: ask, request: { kind: confirmation, title: Go? } }
routes:
  plan: [ { to: go } ]
`);
  const graph = graphFromDefinition(definition!, []);
  const lab = createLab('sqlite');
  const first = lab.open({ graphs: [graph] });
  const broken = await first.start<unknown, unknown>('planner', {});
  const healthy = await first.start<unknown, unknown>('planner', {});
  const [question] = (await broken.settled()).requests;
  await healthy.settled();
  await first.close();

  const db = new DatabaseSync(lab.path);
  const { changes: cut } = db
    .prepare(
      `UPDATE commits SET text = substr(text, 1, length(text) - 40)
       WHERE stream = (SELECT id FROM streams WHERE name = ?) AND text LIKE '%plan%steps%'`,
    )
    .run(broken.id);
  db.close();
  expect(cut).toBeGreaterThan(0);

  const box = lab.open({ graphs: [graph] });
  const damaged = { code: 'LogUnreadable', details: { stream: broken.id, seq: expect.any(Number) } };
  await expect(box.get(broken.id).state()).rejects.toMatchObject(damaged);
  await expect(box.get(broken.id).view()).rejects.toMatchObject(damaged);
  await expect(box.answer(question!.id, { action: 'approve' })).rejects.toMatchObject(damaged);
  expect((await box.inbox()).rows.map(row => row.requestId)).toContain(question!.id);
  expect((await box.runs()).rows.map(row => row.runId).sort()).toEqual([broken.id, healthy.id].sort());
  await box.get(healthy.id).answer({ action: 'approve' });
  expect((await box.get(healthy.id).settled()).status).toBe('completed');
});
