import type { GraphDefinition } from '@signalbox/kernel';

const STEP = { type: 'step', handler: 'anything' } as const;

/** A question when confidence is low, else a reply. */
export const DESK: GraphDefinition = {
  name: 'support-desk',
  entry: 'classify',
  input: { type: 'object', required: ['message'], properties: { message: { type: 'string' } } },
  state: {
    queue: { schema: { type: 'string' } },
    trail: { schema: { type: 'array', items: { type: 'string' } }, reducer: 'append' },
    spent: { schema: { type: 'number' }, reducer: 'sum' },
    notes: { schema: { type: 'object' }, reducer: 'merge' },
  },
  nodes: {
    classify: {
      ...STEP,
      output: {
        type: 'object',
        required: ['intent', 'confidence'],
        properties: { intent: { type: 'string' }, confidence: { type: 'number' } },
      },
      decides: {
        point: 'intent',
        chosen: 'output.intent',
        confidence: 'output.confidence',
        options: ['faq', 'refund'],
      },
    },
    faq: { ...STEP, retry: { attempts: 2, backoff: '2s', jitter: 0 } },
    handoff: {
      type: 'ask',
      request: {
        kind: 'form',
        title: { cel: "'Who takes: ' + input.message" },
        message: 'One of the queues.',
        purpose: 'routes the case to a queue',
        fields: [
          { name: 'queue', type: 'select', label: 'Queue', required: true, options: ['oncall', 'billing'] },
          { name: 'note', type: 'textarea', label: 'Note' },
        ],
        proposal: { values: { queue: 'oncall' }, confidence: 0.4 },
        assignees: ['role:lead'],
        deadline: { after: '2h', onExpire: 'route' },
      },
      update: { queue: 'output.values.queue' },
    },
    reply: STEP,
  },
  routes: {
    classify: [
      { to: ['handoff'], when: 'output.confidence < 0.6', because: 'low confidence' },
      { to: ['faq'], when: "output.intent == 'faq'" },
      { to: ['handoff'], because: 'unknown intents go to a person' },
    ],
    faq: [{ to: ['reply'] }],
    handoff: [{ to: ['reply'] }],
  },
};

/** `a` forks to two branches, one of two nodes, that join at `j`. */
export const FORK: GraphDefinition = {
  name: 'fork',
  entry: 'a',
  input: {},
  state: { total: { schema: { type: 'number' }, reducer: 'sum' } },
  nodes: { a: STEP, b: STEP, c: STEP, d: STEP, j: { ...STEP, join: 'all' } },
  routes: {
    a: [{ to: ['b', 'd'] }],
    b: [{ to: ['c'] }],
    c: [{ to: ['j'] }],
    d: [{ to: ['j'] }],
  },
};

/** A map over the input's list, then a subgraph with a guarded route. */
export const NESTED: GraphDefinition = {
  name: 'nested',
  entry: 'each',
  input: { type: 'object', required: ['items'], properties: { items: { type: 'array', items: { type: 'number' } } } },
  state: {},
  nodes: {
    each: { type: 'map', items: 'input.items', body: { node: STEP }, onError: 'collect' },
    order: { type: 'subgraph', graph: 'order' },
    end_: STEP,
  },
  routes: { each: [{ to: ['order'] }], order: [{ to: ['end_'] }] },
  graphs: {
    order: {
      name: 'order',
      entry: 'check',
      input: {},
      state: { paid: { schema: { type: 'boolean' } } },
      nodes: { check: STEP, pay: STEP },
      routes: { check: [{ to: ['pay'], when: 'output == 1', because: 'it is for sale' }, { to: ['end'] }] },
    },
  },
};

/** One node over and over until it says stop. */
export const LOOP: GraphDefinition = {
  name: 'loop',
  entry: 'poll',
  input: {},
  state: { seen: { schema: { type: 'array', items: { type: 'number' } }, reducer: 'append' } },
  nodes: { poll: STEP, other: STEP },
  routes: {
    poll: [{ to: ['poll'], when: "output == 'again'" }, { to: ['other'], when: "output == 'other'" }, { to: ['end'] }],
    other: [{ to: ['poll'] }],
  },
  limits: { maxSteps: 100_000, maxVisits: 100_000, noProgress: false },
};
