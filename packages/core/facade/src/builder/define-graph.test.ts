import { type Fault, isSignalboxError } from '@signalbox/kernel';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { exportGraph } from '../loader/export-graph.ts';
import { loadGraph } from '../loader/load-graph.ts';
import { defineGraph } from './define-graph.ts';
import { graphFromDefinition } from './graph-from-definition.ts';
import { declarationsOf, defineNodeType } from './node-type.ts';
import { append, max, merge, min, replace, sum } from './reducers.ts';

function refundDesk() {
  const desk = defineGraph({
    name: 'refund-desk',
    input: z.object({ message: z.string(), order: z.string() }),
    state: z.object({ amount: z.number().optional(), trail: append(z.array(z.string())) }),
  });
  const triage = desk.step(
    { output: z.object({ intent: z.enum(['refund', 'faq']), confidence: z.number() }) },
    async ctx => {
      const guess = await ctx.run('classify', () => ({ intent: 'refund' as const, confidence: 0.9 }));
      ctx.decide('intent', { chosen: guess.intent, confidence: guess.confidence, options: ['refund', 'faq'] });
      ctx.update({ trail: [guess.intent] });
      return guess;
    },
  );
  const review = desk.ask({
    title: 'How much do we refund?',
    assign: 'role:finance',
    form: z.object({ amount: z.number().min(0).max(500), note: z.string().default('') }),
    deadline: { after: '2h', onExpire: 'route' },
    update: { amount: 'output.values.amount' },
  });
  const settle = desk.step({ retry: 3, rev: 2 }, ctx => ({ reply: `Refunded ${ctx.state.amount ?? 0}.` }));
  const tooLate = desk.step(() => ({ reply: 'A colleague will call you.' }));
  return desk.build({
    entry: 'triage',
    nodes: { triage, review, settle, tooLate },
    routes: {
      triage: [{ to: 'review', when: "output.intent == 'refund'", because: 'money moves' }, { to: 'tooLate' }],
      review: [{ to: 'settle', on: ['approve', 'edit'] }, { to: 'tooLate' }],
    },
  });
}

/** What `build` refuses, as `CODE pointer`. */
function faultsOf(build: () => unknown): string[] {
  try {
    build();
    return [];
  } catch (error) {
    if (!isSignalboxError(error) || error.code !== 'InvalidGraph') throw error;
    const faults = error.details.faults as unknown as readonly Fault[];
    return faults.filter(({ severity }) => severity === 'error').map(({ code, pointer }) => `${code} ${pointer}`);
  }
}

describe('A graph in TypeScript', () => {
  it('is data, and its code stands beside it by key', () => {
    const graph = refundDesk();
    expect(graph.definition.nodes.triage).toMatchObject({ type: 'step', handler: 'refund-desk/triage@1' });
    expect(graph.definition.nodes.review).toMatchObject({
      update: { amount: 'output.values.amount' },
      request: {
        kind: 'form',
        title: 'How much do we refund?',
        assignees: ['role:finance'],
        deadline: { after: '2h', onExpire: 'route' },
        fields: [
          { name: 'amount', type: 'number', required: true, min: 0, max: 500 },
          { name: 'note', type: 'text', required: false, default: '' },
        ],
      },
    });
    expect(graph.definition.routes.review?.[0]).toEqual({ to: ['settle'], on: ['approve', 'edit'] });
    expect([...graph.handlers.keys()]).toEqual([
      'refund-desk/triage@1',
      'refund-desk/settle@2',
      'refund-desk/tooLate@1',
    ]);
    expect([...(graph.code.validators?.keys() ?? [])]).toEqual([
      '/input',
      '/state/amount/schema',
      '/state/trail/schema/items',
      '/state/trail/schema',
      '/nodes/triage/output',
    ]);
    expect(JSON.parse(JSON.stringify(graph.definition))).toEqual(graph.definition);
  });

  it('cannot be changed once it is built', () => {
    const { routes } = refundDesk().definition;
    expect(() => Object.assign(routes.review![0]!, { to: ['triage'] })).toThrow(TypeError);
  });

  it('has the same version each time, and another one when its meaning or a revision changes', () => {
    expect(refundDesk().versionHash).toBe(refundDesk().versionHash);
    const build = (rev: number, when: string) => {
      const desk = defineGraph({ name: 'g', input: z.object({ n: z.number() }) });
      const a = desk.step({ rev }, () => 1);
      return desk.build({ entry: 'a', nodes: { a }, routes: { a: [{ to: 'end', when }] } }).versionHash;
    };
    expect(build(1, 'input.n > 1')).toBe(build(1, ' input.n > 1 '));
    expect(build(2, 'input.n > 1')).not.toBe(build(1, 'input.n > 1'));
    expect(build(1, 'input.n > 2')).not.toBe(build(1, 'input.n > 1'));
  });

  it('tells all that is wrong with it at once, in the message too', () => {
    const desk = defineGraph({ name: 'wrong', input: z.object({ at: z.date() }), state: z.object({ n: z.number() }) });
    const a = desk.step({ output: z.object({ when: z.date() }), timeout: 'soon', next: ['later' as 'a'] }, () => ({
      when: new Date(0),
    }));
    const b = desk.ask({
      title: 'x',
      form: z.object({ deep: z.object({ x: z.string() }) }),
      update: { n: 'output.(' },
    });
    const build = () =>
      desk.build({ entry: 'a', nodes: { a, b }, routes: { a: [{ to: 'b', when: 'state.n > "x"' }] } });
    const faults = faultsOf(build);
    expect(faults).toEqual(
      expect.arrayContaining([
        'SchemaWithoutJson /input',
        'SchemaWithoutJson /nodes/a/output',
        'UnsupportedInForm /nodes/b/request/form/properties/deep',
        'UnknownNode /nodes/a/next/0',
      ]),
    );
    for (const pointer of ['/nodes/a/timeout', '/nodes/b/update/n', '/routes/a/0/when']) {
      expect(faults.some(fault => fault.endsWith(` ${pointer}`))).toBe(true);
      expect(build).toThrow(`${pointer}: `);
    }
    expect(build).toThrow(`The graph "wrong" has ${faults.length} faults:`);
  });

  it('marks reducers in its state, through defaults and whatever the key is called', () => {
    const desk = defineGraph({
      name: 'g',
      input: z.object({}),
      state: z.object({
        added: append(z.array(z.string())).default(['first']),
        merged: merge(z.object({ a: z.string().optional() }).meta({ title: 'M' })),
        total: sum(z.number()),
        low: min(z.number()),
        high: max(z.number()),
        type: replace(z.string()),
      }),
    });
    const { state } = desk.build({ entry: 'a', nodes: { a: desk.step(() => 1) }, routes: {} }).definition;
    expect(Object.entries(state).map(([key, { reducer }]) => [key, reducer])).toEqual([
      ['added', 'append'],
      ['merged', 'merge'],
      ['total', 'sum'],
      ['low', 'min'],
      ['high', 'max'],
      ['type', undefined],
    ]);
    expect(state.added?.schema).toEqual({ default: ['first'], type: 'array', items: { type: 'string' } });
    expect(state.merged?.schema).toMatchObject({ title: 'M', properties: { a: { type: 'string' } } });
  });

  it('runs with a guard in code, but is not portable', () => {
    const desk = defineGraph({ name: 'g', input: z.object({ n: z.number() }) });
    const graph = desk.build({
      entry: 'a',
      nodes: { a: desk.step(() => ({ n: 2 })), b: desk.step(() => 1) },
      routes: { a: [{ to: 'b', when: see => see.output.n > see.input.n }, { to: 'end' }] },
    });
    expect(graph.definition.routes.a?.[0]).toEqual({ to: ['b'], predicate: 'g/a/when0@1' });
    expect(graph.program.portable).toBe(false);
    const guard = graph.code.predicates?.get('g/a/when0@1');
    expect(guard?.({ output: { n: 2 }, input: { n: 1 } })).toBe(true);
    expect(guard?.({ output: { n: 2 }, input: { n: 3 } })).toBe(false);
    expect(refundDesk().program.portable).toBe(true);
  });

  it('takes hooks and compensation as handlers of their own', () => {
    const seen: string[] = [];
    const desk = defineGraph({ name: 'g', input: z.object({}) });
    const pay = desk.step(
      { output: z.object({ id: z.string() }), compensate: ({ output }) => void seen.push(output.id) },
      { execute: () => ({ id: 'p1' }), onEnter: () => void seen.push('enter') },
    );
    const { handlers, definition } = desk.build({ entry: 'pay', nodes: { pay }, routes: {} });
    expect(definition.nodes.pay).toMatchObject({ compensate: { handler: 'g/pay/compensate@1' } });
    handlers.get('g/pay@1')?.onEnter?.({} as never);
    handlers.get('g/pay/compensate@1')?.execute({ output: { id: 'p1' } } as never);
    expect(seen).toEqual(['enter', 'p1']);
  });

  it('holds the graphs that it runs, with their code', () => {
    const small = defineGraph({ name: 'small', input: z.object({ n: z.number() }) });
    const inner = small.build({
      entry: 'work',
      nodes: { work: small.step({ output: z.object({ n: z.number() }) }, ctx => ({ n: ctx.input.n })) },
      routes: { work: [{ to: 'end', when: () => true }] },
    });
    const desk = defineGraph({ name: 'big', input: z.object({ list: z.array(z.number()) }) });
    const sub = desk.subgraph(inner, { input: { n: 'input.list[0]' } });
    const each = desk.map({
      items: 'input.list',
      body: desk.step({ output: z.object({ m: z.number() }) }, () => ({ m: 1 })),
    });
    const again = desk.map({ items: 'input.list.map(n, {"n": n})', body: inner, concurrency: 2 });
    const graph = desk.build({
      entry: 'sub',
      nodes: { sub, each, again },
      routes: { sub: [{ to: 'each' }], each: [{ to: 'again' }] },
    });
    expect(graph.definition.graphs).toEqual({ small: inner.definition });
    expect(graph.definition.nodes.again).toMatchObject({ body: { graph: 'small' }, concurrency: 2 });
    expect([...graph.handlers.keys()].sort()).toEqual(['big/each/body@1', 'small/work@1']);
    expect([...(graph.code.validators?.keys() ?? [])].sort()).toEqual([
      '/graphs/small/input',
      '/graphs/small/nodes/work/output',
      '/input',
      '/nodes/each/body/node/output',
    ]);
    expect(graph.program.portable).toBe(false);
  });

  it('refuses two graphs, or two types, of one name', () => {
    const make = (answer: number) => {
      const desk = defineGraph({ name: 'same', input: z.object({}) });
      return desk.build({ entry: 'a', nodes: { a: desk.step(() => answer) }, routes: {} });
    };
    const type = (answer: number) => defineNodeType({ type: 'same', execute: () => answer });
    const desk = defineGraph({ name: 'g', input: z.object({}) });
    const nodes = {
      a: desk.subgraph(make(1)),
      b: desk.subgraph(make(2)),
      c: desk.node(type(1)),
      d: desk.node(type(2)),
    };
    const routes = { a: [{ to: 'b' as const }], b: [{ to: 'c' as const }], c: [{ to: 'd' as const }] };
    const faults = faultsOf(() => desk.build({ entry: 'a', nodes, routes }));
    expect(faults).toEqual(['DuplicateGraph /nodes/b', 'DuplicateHandler /nodes/d']);
  });

  it('tells a fault of its own of a node whose name only begins like that of one with another fault', () => {
    const make = (answer: number) => {
      const desk = defineGraph({ name: 'same', input: z.object({}) });
      return desk.build({ entry: 'a', nodes: { a: desk.step(() => answer) }, routes: {} });
    };
    const desk = defineGraph({ name: 'g', input: z.object({}) });
    const nodes = { a: desk.subgraph(make(1)), b: desk.subgraph(make(2)), bc: desk.wait({ when: 'state.none > 1' }) };
    const routes = { a: [{ to: 'b' as const }], b: [{ to: 'bc' as const }] };
    expect(faultsOf(() => desk.build({ entry: 'a', nodes, routes }))).toEqual([
      'DuplicateGraph /nodes/b',
      'ExpressionType /nodes/bc/when',
    ]);
  });

  it('refuses guards in code of two graphs of one name, wherever these stand', () => {
    const guarded = (holds: boolean) => {
      const desk = defineGraph({ name: 'inner', input: z.object({}) });
      const nodes = { a: desk.transform({}), b: desk.transform({}) };
      return desk.build({ entry: 'a', nodes, routes: { a: [{ to: 'b', when: () => holds }, { to: 'end' }] } });
    };
    const around = (name: string, inner: ReturnType<typeof guarded>) => {
      const desk = defineGraph({ name, input: z.object({}) });
      return desk.build({ entry: 'run', nodes: { run: desk.subgraph(inner) }, routes: {} });
    };
    const [yes, no] = [guarded(true), guarded(false)];
    const outer = (second: ReturnType<typeof guarded>) => {
      const desk = defineGraph({ name: 'outer', input: z.object({}) });
      const nodes = { one: desk.subgraph(around('one', yes)), two: desk.subgraph(around('two', second)) };
      return desk.build({ entry: 'one', nodes, routes: { one: [{ to: 'two' }] } });
    };
    expect(faultsOf(() => outer(no))).toEqual(['DuplicateHandler /nodes/two']);
    expect(outer(yes).code.predicates!.size).toBe(1);
  });

  it('asks in a wait, joins a fork, fails by name', () => {
    const desk = defineGraph({ name: 'g', input: z.object({}) });
    const fork = desk.transform({ output: { n: '1' } });
    const left = desk.wait({ first: { yes: { ask: { title: 'Go?', assign: ['user:a'] } }, late: { for: '2h' } } });
    const right = desk.wait({ signal: 'paid' });
    const both = desk.join('all');
    const broken = desk.fail({ code: 'Broken', message: { cel: "'no ' + output[0].status" } });
    const graph = desk.build({
      entry: 'fork',
      nodes: { fork, left, right, both, broken },
      routes: {
        fork: [{ to: ['left', 'right'] }],
        left: [{ to: 'both' }],
        right: [{ to: 'both' }],
        both: [{ to: 'broken', until: 'size(output) == 0' }, { to: 'end' }],
      },
    });
    expect(graph.definition.nodes.left).toEqual({
      type: 'wait',
      first: { yes: { ask: { kind: 'confirmation', title: 'Go?', assignees: ['user:a'] } }, late: { for: '2h' } },
    });
    expect(graph.definition.nodes.both).toEqual({ type: 'join', join: 'all' });
    expect(graph.definition.routes.both?.[0]).toEqual({ to: ['broken'], when: '!(size(output) == 0)' });
  });

  it('refuses a route with two guards', () => {
    const desk = defineGraph({ name: 'g', input: z.object({}) });
    const a = desk.step(() => 1);
    const routes = { a: [{ to: 'end' as const, when: 'true', until: 'false' }] };
    expect(faultsOf(() => desk.build({ entry: 'a', nodes: { a }, routes }))).toContain('ConflictingGuards /routes/a/0');
  });
});

describe('A graph of portable parts', () => {
  const classify = defineNodeType({
    type: 'intent-classifier',
    with: z.object({ labels: z.array(z.string()), floor: z.number().default(0.5) }),
    output: z.object({ intent: z.string(), confidence: z.number() }),
    execute: ctx => ({ intent: ctx.with.labels[0] ?? '', confidence: ctx.with.floor }),
  });
  const reply = defineNodeType({ type: 'compose-reply', rev: 2, execute: () => ({ text: 'done' }) });
  const types = [classify, reply];

  const YAML = `
name: support-desk
entry: classify
input: { type: object, required: [message], properties: { message: { type: string } } }
state: { type: object, properties: { queue: { type: string }, trail: { type: array, items: { type: string }, reducer: append } } }
nodes:
  classify:
    type: intent-classifier
    with: { labels: [faq, refund] }
    retry: { attempts: 3, backoff: 500ms }
    timeout: 1m
    decides: { point: intent, chosen: output.intent, confidence: output.confidence }
  handoff:
    type: ask
    request:
      kind: form
      title: Who should take this case?
      fields:
        - { name: queue, type: select, label: queue, required: true, options: [oncall, billing] }
        - { name: note, type: text }
      assign: role:lead
      deadline: { after: 120m, onExpire: escalate, to: role:lead }
    update: { queue: output.values.queue }
  reply: { type: compose-reply }
routes:
  classify:
    - { to: handoff, when: output.confidence < 0.6, because: low confidence }
    - { to: reply }
  handoff: [ { to: reply } ]
`;

  function supportDesk() {
    const desk = defineGraph({
      name: 'support-desk',
      title: 'Support',
      input: z.object({ message: z.string() }),
      state: z.object({ queue: z.string().optional(), trail: append(z.array(z.string())) }),
    });
    return desk.build({
      entry: 'classify',
      nodes: {
        classify: desk.node(classify, {
          with: { labels: ['faq', 'refund'] },
          retry: { attempts: 3, backoff: '500ms' },
          timeout: '60s',
          decides: { point: 'intent', chosen: 'output.intent', confidence: 'output.confidence' },
        }),
        handoff: desk.ask({
          title: 'Who should take this case?',
          form: z.object({ queue: z.enum(['oncall', 'billing']), note: z.string().optional() }),
          assign: 'role:lead',
          deadline: { after: '2h', onExpire: 'escalate', to: 'role:lead' },
          update: { queue: 'output.values.queue' },
        }),
        reply: desk.node(reply),
      },
      routes: {
        classify: [{ to: 'handoff', when: 'output.confidence < 0.6', because: 'low confidence' }, { to: 'reply' }],
        handoff: [{ to: 'reply' }],
      },
    });
  }

  it('has the same version hash in TypeScript and in YAML', () => {
    const loaded = loadGraph(YAML, { types: declarationsOf(types) });
    expect(loaded.faults.filter(({ severity }) => severity === 'error')).toEqual([]);
    const fromFile = graphFromDefinition(loaded.definition!, types);
    expect(fromFile.versionHash).toBe(supportDesk().versionHash);
    expect([...fromFile.handlers.keys()].sort()).toEqual(['compose-reply@2', 'intent-classifier@1']);
  });

  it('is the same again after it was written to a file', () => {
    const graph = supportDesk();
    const text = exportGraph(graph.definition, 'yaml');
    const again = loadGraph(text, { types: declarationsOf(types) });
    expect(graphFromDefinition(again.definition!, types).versionHash).toBe(graph.versionHash);
  });
});
