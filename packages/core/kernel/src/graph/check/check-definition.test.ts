import { describe, expect, it } from 'vitest';
import { checkDefinition } from '../compile.ts';
import type { GraphDefinition, NodeDefinition, RouteDefinition } from '../definition.ts';

/** A graph of which only what matters to the test is written. The rest is there and right. */
function graph(parts: Record<string, unknown>): GraphDefinition {
  return { name: 'g', input: {}, state: {}, entry: 'a', nodes: {}, routes: {}, ...parts } as unknown as GraphDefinition;
}

const t = (more: object = {}) => ({ type: 'transform', ...more });
const step = (more: object = {}) => ({ type: 'step', handler: 'h', timeout: '1s', ...more });
const ask = (request: object = {}, more: object = {}) => ({
  type: 'ask',
  request: { kind: 'form', title: 'Q', ...request },
  ...more,
});
const to = (...targets: string[]): RouteDefinition => ({ to: targets });
const one = (node: object, more: object = {}) => graph({ nodes: { a: node }, ...more });
const text = { type: 'string' };
const number = { type: 'number' };

function found(definition: GraphDefinition): string[] {
  return checkDefinition(definition).map(
    ({ severity, code, pointer }) => `${severity === 'error' ? '' : '? '}${code} ${pointer}`,
  );
}

const YES_NO = { fields: [{ name: 'ok', type: 'boolean', required: true }] };

type Row = [title: string, definition: GraphDefinition, ...expected: string[]];

const SHAPE: Row[] = [
  ['a key that no graph has', one(t(), { node: {} }), 'UnknownKey /node'],
  ['a misspelt key of a node', one(t({ updates: {} })), 'UnknownKey /nodes/a/updates'],
  ['a key of another node type', one(t({ handler: 'h' })), 'UnknownKey /nodes/a/handler'],
  ['a misspelt key of a route', one(t(), { routes: { a: [{ to: ['end'], wen: 'x' }] } }), 'UnknownKey /routes/a/0/wen'],
  ['a misspelt key of a request', one(ask({ titel: 'x' })), 'UnknownKey /nodes/a/request/titel'],
  ['a misspelt key of a limit', one(t(), { limits: { maxStep: 1 } }), 'UnknownKey /limits/maxStep'],
  ['a dangerous key', one(t({ update: { constructor: '1' } })), 'DangerousKey /nodes/a/update/constructor'],
  [
    'a dangerous node name',
    graph({ nodes: JSON.parse('{"a":{"type":"transform"},"__proto__":{"type":"transform"}}') }),
    'DangerousKey /nodes/__proto__',
  ],
  ['a missing entry', graph({ nodes: { a: t() }, entry: undefined }), 'EntryMissing '],
  ['a step without a handler', one({ type: 'step', timeout: '1s' }), 'MissingKey /nodes/a'],
  ['a request without a title', one(ask({ title: undefined })), 'MissingKey /nodes/a/request'],
  ['a node of no type', one({}), 'MissingKey /nodes/a'],
  ['a node of an unknown type', one({ type: 'transfrom' }), 'UnknownNodeType /nodes/a/type'],
  ['a number where text is wanted', one(t({ title: 1.1 })), 'TextWanted /nodes/a/title'],
  ['a truth value as expression', one(t({ output: { x: true } })), 'TextWanted /nodes/a/output/x'],
  ['a list where a map is wanted', one(t({ output: [] })), 'WrongType /nodes/a/output'],
  ['noProgress: true', one(t(), { limits: { noProgress: true } }), 'WrongType /limits/noProgress'],
  ['an empty expression', one(t({ output: { x: ' ' } })), 'EmptyText /nodes/a/output/x'],
  ['no attempts', one(step({ retry: { attempts: 0 } })), 'OutOfRange /nodes/a/retry/attempts'],
  ['half an attempt', one(step({ retry: { attempts: 1.5 } })), 'OutOfRange /nodes/a/retry/attempts'],
  ['jitter over 1', one(step({ retry: { attempts: 2, jitter: 2 } })), 'OutOfRange /nodes/a/retry/jitter'],
  ['a shrinking back-off', one(step({ retry: { attempts: 2, factor: 0.5 } })), 'OutOfRange /nodes/a/retry/factor'],
  [
    'more than 10,000 items',
    one({ type: 'map', items: '[1]', body: { node: t() }, maxItems: 10_001 }),
    'OutOfRange /nodes/a/maxItems',
  ],
  ['a limit of 0', one(t({ limits: { maxVisits: 0 } })), 'OutOfRange /nodes/a/limits/maxVisits'],
  ['a duration in words', one(step({ timeout: 'an hour' })), 'InvalidDuration /nodes/a/timeout'],
  [
    'a deadline of a month',
    one(ask({ deadline: { after: 'P1M', onExpire: 'fail' } })),
    'InvalidDuration /nodes/a/request/deadline/after',
  ],
  ['a wait until no day', one({ type: 'wait', until: '2026-02-30' }), 'InvalidInstant /nodes/a/until'],
  ['a zone that is none', one(t(), { zone: 'Mars/Base' }), 'InvalidZone /zone'],
  ['an unknown reducer', one(t(), { state: { k: { schema: {}, reducer: 'push' } } }), 'UnknownValue /state/k/reducer'],
  [
    'an unknown outcome',
    one(t(), { routes: { a: [{ to: ['end'], on: ['aproved'] }, to('end')] } }),
    'UnknownValue /routes/a/0/on/0',
  ],
  ['a join of nothing known', one(t({ join: 'most' })), 'UnknownValue /nodes/a/join'],
  [
    'a node called end',
    graph({ nodes: { a: t(), end: t() } }),
    'ReservedName /nodes/end',
    'UnreachableNode /nodes/end',
  ],
  ['a node with a word of CEL as name', graph({ entry: 'in', nodes: { in: t() } }), 'ReservedName /nodes/in'],
  ['a node name with a dash', graph({ entry: 'a-b', nodes: { 'a-b': t() } }), 'InvalidName /nodes/a-b'],
  ['a state key with a space', one(t(), { state: { 'my key': { schema: {} } } }), 'InvalidName /state/my key'],
  ['a handler key with two revisions', one(step({ handler: 'h@1@2' })), 'InvalidName /nodes/a/handler'],
  ['a graph name with a slash', graph({ name: 'a/b', nodes: { a: t() } }), 'InvalidName /name'],
  ['an assignee of no kind', one(ask({ assignees: ['finn'] })), 'InvalidAssignee /nodes/a/request/assignees/0'],
  ['a map without a body', one({ type: 'map', items: '[1]', body: {} }), 'InvalidBody /nodes/a/body'],
  [
    'a map with two bodies',
    one({ type: 'map', items: '[1]', body: { node: t(), graph: 'x' } }),
    'InvalidBody /nodes/a/body',
  ],
  ['a compensation without a handler', one(step({ compensate: {} })), 'MissingKey /nodes/a/compensate'],
  ['a schema that is none', one(t(), { input: { type: 'strng' } }), 'InvalidSchema /input/type'],
  ['a route without targets', one(t(), { routes: { a: [{ to: [] }] } }), 'EmptyRoute /routes/a/0/to'],
];

const NAMES: Row[] = [
  ['an unknown entry', graph({ entry: 'b', nodes: { a: t() } }), 'UnknownNode /entry'],
  ['an unknown target', one(t(), { routes: { a: [to('aa')] } }), 'UnknownNode /routes/a/0/to'],
  [
    'an unknown branch',
    graph({ nodes: { a: t(), b: t() }, routes: { a: [to('b', 'c')] } }),
    'UnknownNode /routes/a/0/to/1',
  ],
  ['routes of no node', one(t(), { routes: { b: [to('a')] } }), 'UnknownNode /routes/b'],
  ['one target twice', one(t(), { routes: { a: [to('end', 'end')] } }), 'DuplicateTarget /routes/a/0/to/1'],
  ['an unknown fallback', one(step({ fallback: { node: 'b' } })), 'UnknownNode /nodes/a/fallback/node'],
  ['a node that stands in for itself', one(step({ fallback: { node: 'a' } })), 'FallbackCycle /nodes/a/fallback/node'],
  [
    'a wish that no route grants',
    one(step({ next: ['a'] }), { routes: { a: [to('end')] } }),
    'NextWithoutRoute /nodes/a/next/0',
  ],
  ['an unknown subgraph', one({ type: 'subgraph', graph: 'x' }), 'UnknownGraph /nodes/a/graph'],
  [
    'an unknown graph as body',
    one({ type: 'map', items: '[1]', body: { graph: 'x' } }),
    'UnknownGraph /nodes/a/body/graph',
  ],
  ['a graph that nothing runs', one(t(), { graphs: { x: one(t()) } }), '? UnusedGraph /graphs/x'],
  [
    'a body that looks beside itself',
    one({ type: 'map', items: '[1]', body: { node: step({ next: ['a'], fallback: { node: 'a' } }) } }),
    'NotInBody /nodes/a/body/node/next',
    'NotInBody /nodes/a/body/node/fallback/node',
  ],
  ['nodes.x of no node', one(t({ output: { x: 'nodes.b.output' } })), 'UnknownNode /nodes/a/output/x'],
];

const ROUTES: Row[] = [
  ['a node that nothing leads to', graph({ nodes: { a: t(), b: t() } }), 'UnreachableNode /nodes/b'],
  [
    'a loop without an exit',
    graph({ nodes: { a: t(), b: t() }, routes: { a: [to('b')], b: [to('a')] } }),
    'LoopWithoutExit /routes/a',
  ],
  ['a node that leads to itself alone', one(t(), { routes: { a: [to('a')] } }), 'LoopWithoutExit /routes/a'],
  [
    'an exit behind a route that takes all',
    one(t(), { routes: { a: [to('a'), to('end')] } }),
    'LoopWithoutExit /routes/a',
    'RouteNeverTaken /routes/a/1',
  ],
  [
    'a loop that only failing leads out of',
    one(step(), { routes: { a: [to('a'), { to: ['end'], on: ['failed'] }] } }),
    '? LoopWithoutExit /routes/a',
  ],
  [
    'a loop that is meant to end at its limit',
    one(step(), { routes: { a: [to('a'), { to: ['end'], on: ['limit'] }] } }),
  ],
  [
    'guards that may all fail',
    one(t(), { routes: { a: [{ to: ['end'], when: 'run.step > 1' }] } }),
    '? NoDefaultRoute /routes/a',
  ],
  [
    'routes for failure alone',
    one(step(), { routes: { a: [{ to: ['end'], on: ['failed'] }] } }),
    'NoDefaultRoute /routes/a',
  ],
  [
    'an answer that no route is for',
    one(ask(), { routes: { a: [{ to: ['end'], on: ['approve', 'edit'] }] } }),
    '? NoDefaultRoute /routes/a',
  ],
  [
    'answers that are all routed',
    one(ask(), {
      routes: {
        a: [
          { to: ['end'], on: ['approve', 'edit'] },
          { to: ['end'], on: ['reject', 'cancel'] },
        ],
      },
    }),
  ],
  [
    'a deadline that routes nowhere',
    one(ask({ deadline: { after: '1h', onExpire: 'route' } }), { routes: { a: [{ to: ['end'], on: ['success'] }] } }),
    '? NoDefaultRoute /routes/a',
  ],
  [
    'an answer of a node that asks nobody',
    one(step(), { routes: { a: [{ to: ['end'], on: ['approve'] }, to('end')] } }),
    'UnknownOutcome /routes/a/0/on/0',
  ],
  [
    'a guard and a predicate',
    one(t(), { routes: { a: [{ to: ['end'], when: 'true', predicate: 'p' }, to('end')] } }),
    'GuardTwice /routes/a/0/predicate',
  ],
  [
    'routes of a node that only stands in',
    graph({ nodes: { a: step({ fallback: { node: 'b' } }), b: step() }, routes: { b: [to('end')] } }),
    '? RouteNeverTaken /routes/b/0',
  ],
];

const STATE: Row[] = [
  ['append to a text', one(t(), { state: { k: { schema: text, reducer: 'append' } } }), 'ReducerType /state/k/reducer'],
  [
    'merge of a list',
    one(t(), { state: { k: { schema: { type: 'array' }, reducer: 'merge' } } }),
    'ReducerType /state/k/reducer',
  ],
  ['a sum of texts', one(t(), { state: { k: { schema: text, reducer: 'sum' } } }), 'ReducerType /state/k/reducer'],
  [
    'a write to no key',
    one(t({ update: { j: '1' } }), { state: { k: { schema: {} } } }),
    'UnknownStateKey /nodes/a/update/j',
  ],
  [
    'a carried value for no key',
    one(ask({ resume: { mode: 'restart', carry: { j: '1' } } })),
    'UnknownStateKey /nodes/a/request/resume/carry/j',
  ],
  [
    'a shared key that differs',
    one(
      { type: 'subgraph', graph: 's', share: ['k', 'l', 'm'] },
      {
        state: { k: { schema: number }, l: { schema: { ...number, title: 'L' } } },
        graphs: { s: one(t(), { state: { k: { schema: text }, l: { schema: number } } }) },
      },
    ),
    'ShareMismatch /nodes/a/share/0',
    'UnknownStateKey /nodes/a/share/2',
  ],
  [
    'each item writing one key',
    one({ type: 'map', items: '[1]', body: { node: t({ update: { k: '1' } }) } }, { state: { k: { schema: {} } } }),
    '? ConflictingWrites /nodes/a/body/node/update/k',
  ],
];

const QUESTIONS: Row[] = [
  ['no end of time', one(ask({ deadline: { onExpire: 'fail' } })), 'InvalidDeadline /nodes/a/request/deadline'],
  [
    'two ends of time',
    one(ask({ deadline: { after: '1h', at: '2027-01-01', onExpire: 'fail' } })),
    'InvalidDeadline /nodes/a/request/deadline',
  ],
  [
    'a question that goes on to nobody',
    one(ask({ deadline: { after: '1h', onExpire: 'escalate' } })),
    'EscalateWithoutTo /nodes/a/request/deadline',
  ],
  [
    'somebody named for nothing',
    one(ask({ deadline: { after: '1h', onExpire: 'fail', to: ['role:lead'] } })),
    '? UnusedKey /nodes/a/request/deadline/to',
  ],
  [
    'a default that is not there',
    one(ask({ fields: [{ name: 'x', type: 'text', required: true }], deadline: { after: '1h', onExpire: 'default' } })),
    'DefaultMissing /nodes/a/request/deadline/onExpire',
  ],
  ['a wait for nothing', one({ type: 'wait' }), 'InvalidWait /nodes/a'],
  ['a wait for two things', one({ type: 'wait', for: '1h', signal: 's' }), 'InvalidWait /nodes/a'],
  ['the first of none', one({ type: 'wait', first: {} }), 'InvalidWait /nodes/a/first'],
  [
    'a question in a wait',
    one({
      type: 'wait',
      first: { q: { ask: { kind: 'form', title: 'Q', deadline: { onExpire: 'fail' } } }, t: { for: '1h' } },
    }),
    'InvalidDeadline /nodes/a/first/q/ask/deadline',
  ],
  [
    'a select without options and a default out of range',
    one(
      ask({
        fields: [
          { name: 'x', type: 'select', options: [] },
          { name: 'y', type: 'slider', min: 0, max: 10, default: 11 },
        ],
      }),
    ),
    'NoOptions /nodes/a/request/fields/0/options',
    'DefaultOutOfBounds /nodes/a/request/fields/1/default',
  ],
  [
    'a restart at no node',
    one(ask({ resume: { mode: 'restart', at: 'b' } })),
    'UnknownNode /nodes/a/request/resume/at',
  ],
  [
    'a restart outside of the branch',
    graph({
      nodes: { a: t(), b: ask({ resume: { mode: 'restart', at: 'a' } }), c: t(), j: t({ join: 'all' }) },
      routes: { a: [to('b', 'c')], b: [to('j')], c: [to('j')] },
    }),
    'RestartOutOfScope /nodes/b/request/resume/at',
  ],
  [
    'a restart behind an effect',
    graph({ nodes: { a: step(), b: ask({ resume: { mode: 'restart' } }) }, routes: { a: [to('b')] } }),
    '? RestartBehindEffect /nodes/b/request/resume',
  ],
  [
    'a restart whose effects are spared',
    graph({ nodes: { a: step(), b: ask({ resume: { mode: 'restart', dedupe: 'run' } }) }, routes: { a: [to('b')] } }),
  ],
  [
    'a handler that may restart at no node',
    one(step({ restartTargets: ['b'] })),
    'UnknownNode /nodes/a/restartTargets/0',
  ],
  ['a step without a time limit', one(step({ timeout: undefined })), '? NoTimeLimit /nodes/a'],
  [
    'a pause before no second attempt',
    one(step({ retry: { attempts: 1, backoff: '1s' } })),
    '? UnusedKey /nodes/a/retry/backoff',
  ],
];

const EXPRESSIONS: Row[] = [
  [
    'a guard that is no bool',
    one(t(), { routes: { a: [{ to: ['end'], when: "'x'" }, to('end')] } }),
    'ExpressionType /routes/a/0/when',
  ],
  [
    'a guard that is no expression',
    one(t(), { routes: { a: [{ to: ['end'], when: 'a +' }, to('end')] } }),
    'ExpressionSyntax /routes/a/0/when',
  ],
  [
    'a guard over an optional field',
    one(t(), {
      input: { type: 'object', properties: { x: { type: 'boolean' } } },
      routes: { a: [{ to: ['end'], when: 'input.x' }, to('end')] },
    }),
    'OptionalRead /routes/a/0/when',
  ],
  [
    'a state key that may be absent',
    one(t({ output: { x: 'state.k' } }), { state: { k: { schema: text } } }),
    'OptionalRead /nodes/a/output/x',
  ],
  [
    'what a node says of a state key that its own update writes',
    one(t({ update: { k: "'x'" }, say: { cel: 'state.k' } }), { state: { k: { schema: text } } }),
  ],
  [
    'what a node says of a state key that may be absent',
    one(t({ say: { cel: 'state.k' } }), { state: { k: { schema: text } } }),
    'OptionalRead /nodes/a/say/cel',
  ],
  [
    'a state key that was surely written before',
    graph({
      state: { k: { schema: text } },
      nodes: { a: t({ update: { k: "'x'" } }), b: t({ output: { x: 'state.k' } }) },
      routes: { a: [to('b')] },
    }),
  ],
  [
    'a write of another type',
    one(t({ update: { k: '1' } }), { state: { k: { schema: text } } }),
    'ExpressionType /nodes/a/update/k',
  ],
  [
    'an append of what is no list',
    one(t({ update: { k: "'x'" } }), { state: { k: { schema: { type: 'array', items: text }, reducer: 'append' } } }),
    'ExpressionType /nodes/a/update/k',
  ],
  [
    'a map over what is no list',
    one({ type: 'map', items: '1', body: { node: t() } }),
    'ExpressionType /nodes/a/items',
  ],
  ['item outside of a map', one(t({ output: { x: 'item' } })), 'ExpressionType /nodes/a/output/x'],
  ['item inside of a map', one({ type: 'map', items: '[1]', body: { node: t({ output: { x: 'item + index' } }) } })],
  [
    'item inside of a graph that a map runs',
    one({ type: 'map', items: '[1]', body: { graph: 's' } }, { graphs: { s: one(t({ output: { x: 'item' } })) } }),
  ],
  [
    'a node that may not have been visited',
    graph({
      nodes: { a: t(), b: t(), c: t({ output: { x: 'nodes.b.output' } }) },
      routes: { a: [{ to: ['b'], when: 'run.step > 3' }, to('c')], b: [to('c')] },
    }),
    'OptionalRead /nodes/c/output/x',
  ],
  [
    'a node that was surely visited',
    graph({ nodes: { a: t(), b: t({ output: { x: 'nodes.a.output' } }) }, routes: { a: [to('b')] } }),
  ],
  ['a node that reads its own last visit', one(t({ input: { x: 'nodes.a.output' } })), 'OptionalRead /nodes/a/input/x'],
  [
    'a guard that reads the own visit',
    one(t({ output: { x: '1' } }), { routes: { a: [{ to: ['end'], when: 'nodes.a.output.x == 1' }, to('end')] } }),
  ],
  [
    'the error of a node that has failed',
    graph({
      nodes: { a: step(), b: t({ output: { x: 'nodes.a.error.code' } }) },
      routes: { a: [{ to: ['b'], on: ['failed'] }, to('end')] },
    }),
  ],
  [
    'the output of a node that may have failed',
    graph({
      nodes: { a: step(), b: t({ output: { x: 'nodes.a.output' } }) },
      routes: { a: [{ to: ['b'], on: ['failed', 'success'] }] },
    }),
    'OptionalRead /nodes/b/output/x',
  ],
  [
    'an output of the graph that every way gives',
    graph({
      state: { k: { schema: text } },
      output: { x: 'nodes.a.output', y: 'state.k' },
      nodes: { a: t({ update: { k: "'x'" } }), b: t(), c: t() },
      routes: { a: [{ to: ['b'], when: 'run.step > 1' }, to('c')] },
    }),
  ],
  [
    'an output of the graph that some ways do not give',
    graph({
      output: { x: 'nodes.b.output' },
      nodes: { a: t(), b: t(), c: t() },
      routes: { a: [{ to: ['b'], when: 'run.step > 1' }, to('c')] },
    }),
    'OptionalRead /output/x',
  ],
  [
    'a node of a closed branch',
    graph({
      nodes: { a: t(), b: t(), c: t(), j: t({ join: 'all', output: { x: 'nodes.b.output', y: 'nodes.j.branches' } }) },
      routes: { a: [to('b', 'c')], b: [to('j')], c: [to('j')] },
    }),
    'NodeOutOfScope /nodes/j/output/x',
  ],
  [
    'a question about a node that is not there',
    one(ask({ title: { cel: "'x' + nodes.b.output" } })),
    'UnknownNode /nodes/a/request/title/cel',
  ],
  [
    'an option that a form does not have',
    one(ask({ fields: [{ name: 'q', type: 'select', options: ['x', 'y'], required: true }] }), {
      routes: { a: [{ to: ['end'], on: ['approve'], when: "output.values.q == 'z'" }, to('end')] },
    }),
    '? ImpossibleComparison /routes/a/0/when',
  ],
  [
    'a guard over the values of an answer that may have none',
    one(ask(YES_NO), { routes: { a: [{ to: ['end'], when: 'output.values.ok' }, to('end')] } }),
    '? OptionalRead /routes/a/0/when',
  ],
  [
    'a guard over the values once other answers are taken',
    one(ask(YES_NO), {
      routes: { a: [{ to: ['end'], on: ['reject', 'cancel'] }, { to: ['end'], when: 'output.values.ok' }, to('end')] },
    }),
  ],
  [
    'a guard over the values that looks at the action first',
    one(ask(YES_NO), {
      routes: { a: [{ to: ['end'], when: "output.action == 'approve' && output.values.ok" }, to('end')] },
    }),
  ],
  [
    'a note that may be absent',
    one(ask({}, { update: { k: 'output.note' } }), { state: { k: { schema: text } } }),
    'OptionalRead /nodes/a/update/k',
  ],
  [
    'a note with a way out',
    one(ask({}, { update: { k: "output.note.orValue('')" } }), { state: { k: { schema: text } } }),
  ],
  ['the time of an answer, a text', one(ask({}, { update: { k: 'output.at' } }), { state: { k: { schema: text } } })],
  [
    'who answered, an object, in a text',
    one(ask({}, { update: { k: 'output.by' } }), { state: { k: { schema: text } } }),
    'ExpressionType /nodes/a/update/k',
  ],
  ['the id of who answered', one(ask({}, { update: { k: 'output.by.id' } }), { state: { k: { schema: text } } })],
  [
    'what nobody who answered has',
    one(ask({}, { update: { k: 'output.by.name' } }), { state: { k: { schema: text } } }),
    'ExpressionType /nodes/a/update/k',
  ],
  [
    'a number of a form in a text',
    one(ask({ fields: [{ name: 'n', type: 'number', required: true }] }, { update: { k: 'output.values.n' } }), {
      state: { k: { schema: text } },
    }),
    'ExpressionType /nodes/a/update/k',
  ],
  [
    'a text of a question over what is not there',
    one(ask({ title: { cel: 'input.x' } }), { input: { type: 'object', properties: {} } }),
    'ExpressionType /nodes/a/request/title/cel',
  ],
];

describe.each([
  ['shape', SHAPE],
  ['names', NAMES],
  ['routes', ROUTES],
  ['state', STATE],
  ['questions', QUESTIONS],
  ['expressions', EXPRESSIONS],
])('checking the %s of a definition', (_, rows) => {
  it.each(rows)('finds %s', (_title, definition, ...expected) => {
    expect(found(definition)).toEqual(expected);
  });
});

const state = { status: { schema: text }, trail: { schema: { type: 'array', items: text }, reducer: 'append' } };

/** Two branches of `f` that meet at `j`. */
function fork(nodes: Record<string, object>, routes: Record<string, RouteDefinition[]> = {}): GraphDefinition {
  return graph({
    entry: 'f',
    state,
    nodes: { f: t(), a: t(), b: t(), j: t({ join: 'all' }), ...nodes } as unknown as Record<string, NodeDefinition>,
    routes: { f: [to('a', 'b')], a: [to('j')], b: [to('j')], ...routes },
  });
}

describe('two branches that write one key', () => {
  const a = step({ update: { status: "'ok'", trail: "['A']" } });
  const b = step({ update: { status: "'late'", trail: "['B']" } });

  it('C10: are refused with an error that names the key and both writers', () => {
    const [fault, ...others] = checkDefinition(fork({ a, b }));
    expect(others).toEqual([]);
    expect(fault).toMatchObject({ code: 'ConflictingWrites', severity: 'error', pointer: '/nodes/b/update/status' });
    expect(fault!.message).toMatch(/`status`.*`a` and `b`/);
  });

  it('C10: are fine where the key has a reducer', () => {
    expect(found(fork({ a: step({ update: { trail: "['A']" } }), b: step({ update: { trail: "['B']" } }) }))).toEqual(
      [],
    );
  });

  it('are a warning where one of them may not write', () => {
    const c = t({ update: { status: "'x'" } });
    const routes = { b: [{ to: ['c'], when: 'run.step > 2' }, to('j')], c: [to('j')] };
    expect(found(fork({ a, b: t(), c }, routes))).toEqual(['? ConflictingWrites /nodes/c/update/status']);
    const asked = ask({}, { update: { status: "'x'" } });
    expect(found(fork({ a, b: asked }))).toEqual(['? ConflictingWrites /nodes/b/update/status']);
  });

  it('are found when the write lies in an inner fork or in a subgraph that shares the key', () => {
    const inner = fork(
      { a, b: t(), c: t({ update: { status: "'x'" } }), d: t(), k: t({ join: 'all' }) },
      { b: [to('c', 'd')], c: [to('k')], d: [to('k')], k: [to('j')] },
    );
    expect(found(inner)).toEqual(['ConflictingWrites /nodes/c/update/status']);
    const shared = {
      ...fork({ a, b: { type: 'subgraph', graph: 's', share: ['status'] } }),
      graphs: { s: one(t({ update: { status: "'x'" } }), { state: { status: state.status } }) },
    };
    expect(found(shared)).toEqual(['? ConflictingWrites /nodes/b']);
  });
});

describe('a definition with many faults', () => {
  const broken = graph({
    entry: 'start',
    nodes: {
      start: t(),
      review: ask({
        fields: [
          { name: 'queue', type: 'select', options: [] },
          { name: 'level', type: 'slider', min: 0, max: 10, default: 11 },
        ],
      }),
      approve: t(),
      orphan: t(),
      merge: t({ join: 'all' }),
    },
    routes: { start: [to('review')], review: [{ to: ['aprove'], on: ['approve'] }, to('merge')] },
  });

  it('C33: is refused with all of them, each with its code and place', () => {
    expect(found(broken).sort()).toEqual([
      'DefaultOutOfBounds /nodes/review/request/fields/1/default',
      'JoinWithoutFork /nodes/merge',
      'NoOptions /nodes/review/request/fields/0/options',
      'UnknownNode /routes/review/0/to',
      'UnreachableNode /nodes/approve',
      'UnreachableNode /nodes/orphan',
    ]);
    const target = checkDefinition(broken).find(({ code }) => code === 'UnknownNode');
    expect(target!.hint).toBe('Did you mean `approve`?');
  });

  it('tells where in a graph of a graph the fault is', () => {
    const definition = one({ type: 'subgraph', graph: 's' }, { graphs: { s: one(t({ output: { x: '1 +' } })) } });
    expect(found(definition)).toEqual(['ExpressionSyntax /graphs/s/nodes/a/output/x']);
  });

  it('is not led astray by a graph that holds itself', () => {
    const own: Record<string, unknown> = { ...one({ type: 'subgraph', graph: 'me' }) };
    own.graphs = { me: own };
    expect(found(own as unknown as GraphDefinition)).toEqual([
      'SubgraphCycle /graphs/me',
      'UnknownGraph /nodes/a/graph',
    ]);
  });

  it.each([[null], [[]], ['x'], [1], [{}], [{ nodes: 1, routes: [], state: null }]])('never throws on %j', value => {
    expect(checkDefinition(value as unknown as GraphDefinition).length).toBeGreaterThan(0);
  });
});
