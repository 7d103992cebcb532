import { describe, expect, it } from 'vitest';
import type { GraphDefinition } from './definition.ts';
import { normalizeDefinition, versionHash } from './normalize.ts';

type Tree = { [key: string]: unknown };

const base: GraphDefinition = {
  name: 'desk',
  input: {
    type: 'object',
    required: ['order', 'text'],
    properties: { order: { type: 'string' }, text: { type: 'string' } },
  },
  state: { amount: { schema: { type: 'number' } }, trail: { schema: { type: 'array' }, reducer: 'append' } },
  output: { amount: 'state.amount' },
  entry: 'guess',
  nodes: {
    guess: {
      type: 'step',
      handler: 'guess@1',
      with: { labels: ['a', 'b'] },
      input: { text: 'input.text' },
      output: { type: 'object', properties: { intent: { type: 'string' } } },
      update: { trail: '[output.intent]' },
      decides: { point: 'intent', chosen: 'output.intent', confidence: '0.5', reason: "'r'", options: ['a', 'b'] },
      retry: { attempts: 3, backoff: '2s', factor: 3, maxBackoff: '1m', jitter: 0.5, on: ['A', 'B'] },
      timeout: '60s',
      deadline: '1h',
      fallback: { node: 'plain', lastGood: { maxAge: '1d' } },
      limits: { maxVisits: 3, maxSuccessive: 2 },
      compensate: { handler: 'undo', with: { x: 1 } },
      restartTargets: ['guess', 'review'],
      next: ['review', 'meet'],
    },
    plain: { type: 'transform', output: { x: '1' } },
    review: {
      type: 'ask',
      request: {
        kind: 'form',
        title: { cel: "'Refund ' + input.order" },
        message: 'm',
        gap: 'approval',
        summary: 's',
        purpose: 'p',
        context: { order: { cel: 'input.order' } },
        fields: [
          { name: 'how', type: 'select', options: ['all', 'part'], required: true },
          {
            name: 'amount',
            type: 'number',
            label: 'Amount',
            min: 0,
            max: 5,
            default: 1,
            showIf: "values.how == 'part'",
          },
        ],
        displays: [{ type: 'text', text: 'x' }],
        actions: { approve: 'Yes' },
        proposal: { values: { how: 'all' } },
        assignees: ['role:a', 'role:b'],
        deadline: { after: '2h', onExpire: 'escalate', to: ['role:c', 'role:d'] },
        resume: { mode: 'restart', at: 'guess', in: 'run', carry: { amount: '1' }, dedupe: 'run' },
        hold: 'run',
      },
    },
    pause: { type: 'wait', first: { signal: { signal: 's' }, time: { for: '5m' }, day: { until: '2030-01-01' } } },
    each: {
      type: 'map',
      items: 'state.trail',
      body: { node: { type: 'transform', output: { y: 'item' } } },
      concurrency: 3,
      onError: 'collect',
      maxItems: 7,
    },
    inner: { type: 'subgraph', graph: 'sub', share: ['amount', 'trail'] },
    meet: { type: 'join', join: 'any' },
    stop: { type: 'fail', code: 'Stopped', message: 'no' },
  },
  routes: {
    guess: [
      { to: ['review'], on: ['success', 'skipped'], when: "output.intent == 'a'", because: 'money' },
      { to: ['pause', 'each', 'inner'] },
    ],
    pause: [{ to: ['meet'] }],
    each: [{ to: ['meet'] }],
    inner: [{ to: ['meet'] }],
    meet: [{ to: ['stop'], predicate: 'late' }, { to: ['end'] }],
  },
  limits: { maxSteps: 50, maxVisits: 4, maxSuccessive: 3, timeout: '1h', noProgress: false, maxChain: 2 },
  zone: 'Asia/Taipei',
  graphs: {
    sub: { name: 'sub', input: {}, state: {}, entry: 'x', nodes: { x: { type: 'transform' } }, routes: {} },
  },
};

/** A copy with one part changed by path; a function gets the old value. */
function changed(path: string, value: unknown): GraphDefinition {
  const copy = structuredClone(base) as unknown as Tree;
  const keys = path.split('/');
  let at = copy;
  for (const key of keys.slice(0, -1)) at = at[key] as Tree;
  const last = keys.at(-1)!;
  const next = typeof value === 'function' ? value(at[last]) : value;
  if (next === undefined) delete at[last];
  else at[last] = next;
  return copy as unknown as GraphDefinition;
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

const hash = versionHash(base);

describe('the version hash', () => {
  it('is 64 hexadecimal digits and the same each time', () => {
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(versionHash(structuredClone(base))).toBe(hash);
    expect(versionHash(normalizeDefinition(base))).toBe(hash);
  });

  it.each<[string, GraphDefinition, GraphDefinition?]>([
    ['the order of keys', reversed(base) as GraphDefinition],
    ['a member that is undefined', changed('title', () => undefined)],
    ['the title of the graph', changed('title', 'Desk')],
    ['the description of the graph', changed('description', 'd')],
    ['the position of the graph', changed('position', [1])],
    ['the title of a node', changed('nodes/guess/title', 'Guess')],
    ['the description of a node', changed('nodes/guess/description', 'd')],
    ['the position of a node', changed('nodes/guess/position', { x: 1, y: 2 })],
    ['annotations of the input schema', changed('input/title', 'Input')],
    ['the order of required keys', changed('input/required', ['text', 'order'])],
    ['annotations of a state schema', changed('state/amount/schema/description', 'd')],
    ['annotations of an output schema', changed('nodes/guess/output/title', 'O')],
    ['the default reducer', changed('state/amount/reducer', 'replace')],
    ['the default join', changed('nodes/meet/join', 'all'), changed('nodes/meet/join', undefined)],
    ['the default zone', changed('zone', 'UTC'), changed('zone', undefined)],
    [
      'default limits',
      changed('limits', { maxSteps: 200, maxVisits: 10, noProgress: 3, maxChain: 16 }),
      changed('limits', undefined),
    ],
    [
      'default retry times',
      changed('nodes/guess/retry', { attempts: 2, backoff: '1s', factor: 2, maxBackoff: '5m', jitter: 0.2 }),
      changed('nodes/guess/retry', { attempts: 2 }),
    ],
    ['the default code of a failure', changed('nodes/stop/code', 'Failed'), changed('nodes/stop/code', undefined)],
    ['default concurrency', changed('nodes/each/concurrency', 10), changed('nodes/each/concurrency', undefined)],
    ['the default way with errors', changed('nodes/each/onError', 'fail'), changed('nodes/each/onError', undefined)],
    ['the default most items', changed('nodes/each/maxItems', 10_000), changed('nodes/each/maxItems', undefined)],
    [
      'the default resume',
      changed('nodes/review/request/resume', { mode: 'continue' }),
      changed('nodes/review/request/resume', undefined),
    ],
    [
      'the default hold',
      changed('nodes/review/request/hold', 'branch'),
      changed('nodes/review/request/hold', undefined),
    ],
    ['routes that are empty', changed('routes/stop', [])],
    ['an empty update', changed('nodes/plain/update', {})],
    ['empty limits of a node', changed('nodes/plain/limits', {})],
    ['empty lists of names', changed('nodes/plain/next', [])],
    ['an empty share', changed('nodes/inner/share', []), changed('nodes/inner/share', undefined)],
    ['empty fields', changed('nodes/review/request/fields', []), changed('nodes/review/request/fields', undefined)],
    ['empty graphs', changed('graphs/sub/graphs', {})],
    ['another spelling of a timeout', changed('nodes/guess/timeout', 'PT1M')],
    ['another spelling of a back-off', changed('nodes/guess/retry/backoff', '2000ms')],
    ['another spelling of a wait', changed('nodes/pause/first/time/for', '300s')],
    ['another spelling of a deadline', changed('nodes/review/request/deadline/after', 'PT2H')],
    ['the order of outcomes', changed('routes/guess/0/on', ['skipped', 'success'])],
    ['the order of error codes', changed('nodes/guess/retry/on', ['B', 'A'])],
    ['the order of shared keys', changed('nodes/inner/share', ['trail', 'amount'])],
    ['the order of restart targets', changed('nodes/guess/restartTargets', ['review', 'guess'])],
    ['the first revision of a handler', changed('nodes/guess/handler', 'guess')],
    ['the first revision of a compensation', changed('nodes/guess/compensate/handler', 'undo@1')],
    [
      'options as objects',
      changed('nodes/review/request/fields/0/options', [{ value: 'all' }, { value: 'part', label: 'part' }]),
    ],
    ['a label that is the name', changed('nodes/review/request/fields/0/label', 'how')],
    ['required: false', changed('nodes/review/request/fields/1/required', false)],
    ['required beside a default', changed('nodes/review/request/fields/1/required', true)],
    ['space around a guard', changed('routes/guess/0/when', " output.intent == 'a'\n")],
    ['space around an expression in a text', changed('nodes/review/request/title/cel', " 'Refund ' + input.order ")],
    ['space around an expression in a map', changed('nodes/plain/output/x', ' 1 ')],
  ])('does not depend on %s', (_, definition, other = base) => {
    expect(versionHash(definition)).toBe(versionHash(other));
  });

  it.each([
    ['an empty input is no missing input', changed('nodes/plain/input', {})],
    ['empty settings are no missing settings', changed('nodes/guess/compensate/with', {})],
    ['the order of branches', changed('routes/guess/1/to', ['each', 'pause', 'inner'])],
    ['the order of routes', changed('routes/guess', (routes: unknown[]) => [...routes].reverse())],
    ['the order of fields', changed('nodes/review/request/fields', (fields: unknown[]) => [...fields].reverse())],
    ['the order of escalation', changed('nodes/review/request/deadline/to', ['role:d', 'role:c'])],
    ['the second revision of a handler', changed('nodes/guess/handler', 'guess@2')],
    ['the title of a question', changed('nodes/review/request/title', 'Other')],
    ['a label of a field', changed('nodes/review/request/fields/1/label', 'Sum')],
    [
      'the label of an option',
      changed('nodes/review/request/fields/0/options', ['all', { value: 'part', label: 'P' }]),
    ],
    ['the reason of a route', changed('routes/guess/0/because', 'other')],
    ['the name of a node', changed('entry', 'plain')],
  ])('tells apart: %s', (_, definition) => {
    expect(versionHash(definition)).not.toBe(hash);
  });

  it('changes with every part of a definition that has a meaning', () => {
    for (const path of leavesOf(base, [])) {
      expect(versionHash(changed(path.join('/'), other)), path.join('/')).not.toBe(hash);
    }
  });

  it('changes when a part is left out that may be', () => {
    for (const path of leavesOf(base, []).filter(canBeLeftOut)) {
      expect(versionHash(changed(path.join('/'), undefined)), path.join('/')).not.toBe(hash);
    }
  });
});

function leavesOf(value: unknown, path: string[]): string[][] {
  if (Array.isArray(value) && value.every(item => typeof item !== 'object')) return [path];
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([key, member]) => leavesOf(member, [...path, key]));
}

const NEEDED = [
  'name',
  'entry',
  'type',
  'to',
  'kind',
  'mode',
  'handler',
  'items',
  'graph',
  'chosen',
  'attempts',
  'point',
];

function canBeLeftOut(path: readonly string[]): boolean {
  return !NEEDED.includes(path.at(-1)!);
}

/** Another value of the same kind. */
function other(value: unknown): unknown {
  if (Array.isArray(value)) return [...value, 'zz'];
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  return `${value}0`;
}
