import { describe, expect, it } from 'vitest';
import { compileJsonSchema } from '../schema/json-schema.ts';
import { checkDefinition, compileGraph, loadProgram } from './compile.ts';
import type { GraphDefinition } from './definition.ts';

const desk: GraphDefinition = {
  name: 'support-desk',
  entry: 'classify',
  input: { type: 'object', required: ['message'], properties: { message: { type: 'string' } } },
  state: {
    queue: { schema: { type: 'string' } },
    trail: { schema: { type: 'array', items: { type: 'string' } }, reducer: 'append' },
  },
  nodes: {
    classify: {
      type: 'step',
      handler: 'intent-classifier',
      with: { labels: ['faq', 'refund', 'create_order', 'complaint'] },
      output: {
        type: 'object',
        required: ['intent', 'confidence'],
        properties: { intent: { type: 'string' }, confidence: { type: 'number' } },
      },
      decides: { point: 'intent', chosen: 'output.intent', confidence: 'output.confidence' },
      timeout: '30s',
    },
    faq: { type: 'step', handler: 'faq-search@2', timeout: '30s' },
    createTicket: {
      type: 'step',
      handler: 'create-ticket',
      retry: { attempts: 3, backoff: '500ms' },
      timeout: '10s',
    },
    handoff: {
      type: 'ask',
      request: {
        kind: 'form',
        title: { cel: "'Who should take: ' + input.message" },
        fields: [
          { name: 'queue', type: 'select', label: 'Queue', required: true, options: ['oncall', 'billing'] },
          { name: 'note', type: 'textarea', label: 'Note' },
        ],
        proposal: { values: { queue: 'oncall' }, confidence: 0.4 },
        deadline: { after: '2h', onExpire: 'escalate', to: ['role:lead'] },
      },
      update: { queue: 'output.values.queue', trail: '[output.action]' },
    },
    reply: { type: 'step', handler: 'compose-reply', timeout: '5s' },
  },
  routes: {
    classify: [
      { to: ['handoff'], when: 'output.confidence < 0.6', because: 'low confidence' },
      { to: ['createTicket'], when: "output.intent in ['refund', 'create_order']" },
      { to: ['faq'], when: "output.intent == 'faq'" },
      { to: ['handoff'], because: 'complaints and unknown intents go to a person' },
    ],
    createTicket: [{ to: ['reply'] }],
    faq: [{ to: ['reply'] }],
    handoff: [{ to: ['reply'] }],
  },
};

describe('compiling a graph', () => {
  const { program, faults } = compileGraph(desk);

  it('gives a program and no fault for the support desk', () => {
    expect(faults).toEqual([]);
    expect(program?.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(program?.portable).toBe(true);
    expect(loadProgram(desk).hash).toBe(program!.hash);
  });

  it('fills defaults in and reads times', () => {
    const graph = program!.graphs.get('')!;
    expect(graph.limits).toEqual({
      maxSteps: 200,
      maxVisits: 10,
      maxSuccessive: undefined,
      timeout: undefined,
      noProgress: 3,
      maxChain: 16,
    });
    const ticket = graph.nodes.get('createTicket')!;
    expect(ticket.handler).toEqual({ handler: 'create-ticket@1' });
    expect(graph.nodes.get('faq')!.handler).toEqual({ handler: 'faq-search@2' });
    expect(ticket.timeout).toBe(10_000);
    expect(ticket.retry).toEqual({
      attempts: 3,
      backoff: 500,
      factor: 2,
      maxBackoff: 300_000,
      jitter: 0.2,
      on: undefined,
    });
  });

  it('evaluates guards, updates and the texts of a question', () => {
    const { nodes, state } = program!.graphs.get('')!;
    const guard = nodes.get('classify')!.routes[1]!.when!;
    expect(guard.evaluate({ output: { intent: 'refund', confidence: 0.9 } })).toEqual({ ok: true, value: true });
    const handoff = nodes.get('handoff')!;
    expect(handoff.update!.get('queue')!.evaluate({ output: { values: { queue: 'billing' } } })).toEqual({
      ok: true,
      value: 'billing',
    });
    expect([...handoff.request!.templates.keys()]).toEqual(['title']);
    expect(handoff.request!.templates.get('title')!.fill({ input: { message: 'hi' } })).toEqual({
      ok: true,
      value: 'Who should take: hi',
    });
    expect(handoff.request!.deadlineAfter).toBe(7_200_000);
    expect(handoff.request!.fields.map(field => field.name)).toEqual(['queue', 'note']);
    expect([state.get('queue')!.initial, state.get('trail')!.initial]).toEqual([undefined, []]);
    expect(state.get('trail')!.item!.validate(1).ok).toBe(false);
  });
});

const inner: GraphDefinition = {
  name: 'inner',
  input: {},
  state: { total: { schema: { type: 'number' }, reducer: 'sum' } },
  output: { doubled: 'item * 2' },
  entry: 'x',
  nodes: { x: { type: 'transform', output: { y: 'item' } } },
  routes: {},
};

const nested: GraphDefinition = {
  name: 'nested',
  input: { type: 'object', required: ['list'], properties: { list: { type: 'array', items: { type: 'number' } } } },
  state: {
    total: { schema: { type: 'number' }, reducer: 'sum' },
    log: { schema: { type: 'object' }, reducer: 'merge' },
  },
  entry: 'each',
  nodes: {
    each: {
      type: 'map',
      items: 'input.list',
      body: { node: { type: 'transform', output: { y: 'item + index' }, update: { total: 'item' } } },
    },
    rows: {
      type: 'map',
      items: '[[1], [2]]',
      body: { node: { type: 'map', items: 'item', body: { node: { type: 'transform', output: { z: 'item' } } } } },
    },
    deep: { type: 'map', items: 'input.list', body: { graph: 'inner' } },
    wait: { type: 'wait', first: { go: { signal: 'go' }, day: { until: { cel: "now + duration('1h')" } } } },
    stop: { type: 'fail', message: { cel: "'total ' + string(state.total)" } },
  },
  routes: {
    each: [{ to: ['rows', 'deep'] }],
    rows: [{ to: ['wait'] }],
    wait: [{ to: ['stop'] }],
  },
  graphs: { inner },
};

describe('compiling what lies inside', () => {
  const { program, faults } = compileGraph(nested);
  const graphs = program!.graphs;

  it('lays graphs and the bodies of maps side by side', () => {
    expect(faults).toEqual([]);
    expect([...graphs.keys()].sort()).toEqual(['', '#deep', '#each', '#rows', '#rows#body', 'inner']);
    const target = (graph: string, node: string) => graphs.get(graph)!.nodes.get(node)!.graph;
    expect([target('', 'each'), target('', 'rows'), target('#rows', 'body')]).toEqual(['#each', '#rows', '#rows#body']);
    expect([target('', 'deep'), target('#deep', 'body')]).toEqual(['#deep', 'inner']);
  });

  it('makes a body a graph of one node over the state around it', () => {
    const body = graphs.get('#each')!;
    expect([body.body, body.entry, [...body.nodes.keys()], graphs.get('inner')!.body]).toEqual([
      true,
      'body',
      ['body'],
      false,
    ]);
    expect(body.state).toBe(graphs.get('')!.state);
    const { values, update } = body.nodes.get('body')!;
    expect(values!.get('y')!.evaluate({ item: 4, index: 2 })).toEqual({ ok: true, value: 6 });
    expect(update!.get('total')!.evaluate({ item: 4 })).toEqual({ ok: true, value: 4 });
  });

  it('lets state start from its reducer', () => {
    expect([...graphs.get('')!.state.values()].map(({ initial }) => initial)).toEqual([0, {}]);
  });

  it('fills times and messages in', () => {
    const { wait } = graphs.get('')!.nodes.get('wait')!;
    if (wait?.kind !== 'first') throw new Error('not a first');
    const day = wait.of.get('day');
    if (day?.kind !== 'until') throw new Error('not an until');
    expect(day.time.fill({ now: '2026-01-01T00:00:00.000Z' })).toEqual({ ok: true, value: '2026-01-01T01:00:00.000Z' });
    const message = graphs.get('')!.nodes.get('stop')!.failMessage!;
    expect(message.fill({ state: {} })).toMatchObject({ ok: false });
    expect(message.fill({ state: { total: 1.5 } })).toEqual({ ok: true, value: 'total 1.5' });
  });

  it('knows the joins and the forks around each node', () => {
    expect(graphs.get('')!.nodes.get('each')!.routes[0]!.join).toBeUndefined();
    expect(graphs.get('')!.scopeOf.get('wait')).toBe('each');
  });
});

describe('a graph with code', () => {
  const definition: GraphDefinition = {
    name: 'coded',
    input: { type: 'object' },
    state: { k: { schema: { type: 'number' } } },
    entry: 'a',
    nodes: { a: { type: 'step', handler: 'h', timeout: '1s', output: {} } },
    routes: { a: [{ to: ['end'], predicate: 'late' }, { to: ['end'] }] },
  };
  const validator = compileJsonSchema({ type: 'string' });
  const validators = new Map(['/input', '/state/k/schema', '/nodes/a/output'].map(pointer => [pointer, validator]));
  const predicates = new Map([['late', () => true]]);

  it('uses its validators and predicates, and is not portable', () => {
    const { program, faults } = compileGraph(definition, { validators, predicates });
    expect(faults).toEqual([]);
    const graph = program!.graphs.get('')!;
    expect(program!.portable).toBe(false);
    expect(graph.input).toBe(validator);
    expect(graph.state.get('k')!.value).toBe(validator);
    expect(graph.nodes.get('a')!.output).toBe(validator);
    expect(graph.nodes.get('a')!.routes[0]!.predicate!({})).toBe(true);
  });

  it('is refused without its predicate, by name', () => {
    expect(compileGraph(definition).faults).toMatchObject([
      { code: 'UnknownPredicate', pointer: '/routes/a/0/predicate' },
    ]);
    expect(compileGraph(definition).program).toBeUndefined();
    expect(() => loadProgram(definition)).toThrow(expect.objectContaining({ code: 'HandlerMissing' }));
    expect(checkDefinition(definition)).toEqual([]);
  });

  it('does not load when it could never have been stored', () => {
    const broken = { ...desk, routes: { ...desk.routes, faq: [{ to: ['reply'], when: 'output +' }] } };
    expect(() => loadProgram(broken)).toThrow(expect.objectContaining({ code: 'InvalidDefinition' }));
    expect(compileGraph(broken).program).toBeUndefined();
  });
});

describe('a restart', () => {
  const asking = (resume: object): GraphDefinition =>
    ({
      ...desk,
      nodes: {
        ...desk.nodes,
        handoff: { type: 'ask', request: { kind: 'form', title: 'Q', resume } },
      },
    }) as GraphDefinition;
  const targets = (definition: GraphDefinition) =>
    [...compileGraph(definition).program!.graphs.get('')!.nodes.values()]
      .filter(it => it.restartTarget)
      .map(it => it.name);

  it('keeps the place it goes back to, and where the graph starts', () => {
    expect(targets(desk)).toEqual([]);
    expect(targets(asking({ mode: 'restart' }))).toEqual(['classify']);
    expect(targets(asking({ mode: 'restart', at: 'handoff' }))).toEqual(['classify', 'handoff']);
  });

  it('evaluates what is carried with the answer as output', () => {
    const { program } = compileGraph(asking({ mode: 'restart', carry: { queue: 'output.action' } }));
    const carry = program!.graphs.get('')!.nodes.get('handoff')!.request!.carry!;
    expect(carry.get('queue')!.evaluate({ output: { action: 'approve' } })).toEqual({ ok: true, value: 'approve' });
  });
});
