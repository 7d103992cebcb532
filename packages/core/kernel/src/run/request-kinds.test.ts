import { describe, expect, it } from 'vitest';
import { checkDefinition } from '../graph/compile.ts';
import type { GraphDefinition } from '../graph/definition.ts';
import { digestOf } from '../json/digest.ts';
import type { JsonObject } from '../json/value.ts';
import type { RequestDefinition } from '../request/definition.ts';
import { askedDisplays, askedFields } from './asked.ts';
import { requestOf } from './decide/request-of.ts';
import { graph, Scenario } from './testing/scenario.ts';

function asking(request: Partial<RequestDefinition>, more: Partial<GraphDefinition> = {}): GraphDefinition {
  return graph({ nodes: { ask: { type: 'ask', request: { kind: 'form', title: 'T', ...request } } }, ...more });
}

const faultsOf = (request: Partial<RequestDefinition>) =>
  checkDefinition(asking(request)).map(({ code, pointer }) => `${code} ${pointer.replace('/nodes/ask/request', '')}`);

const span: readonly JsonObject[] = [
  { name: 'from', type: 'date', required: true },
  { name: 'to', type: 'date' },
];

describe('rules across fields', () => {
  const rules = [
    { when: 'has(values.to)', assert: 'values.to >= values.from', message: 'must not be before From', fields: ['to'] },
    { assert: "values.from != '2026-01-01'", message: 'New Year is no working day' },
  ];
  const refused = (values: JsonObject) => {
    const s = new Scenario(asking({ fields: span, rules })).start();
    const { refusal } = s.tryAnswer('ask', { values });
    return [refusal?.code, refusal?.details.issues, s.open] as const;
  };

  it('refuse an answer at the fields they name, and leave the question open', () => {
    const before = [{ pointer: '/to', code: 'rule', message: 'must not be before From' }];
    expect(refused({ from: '2026-03-02', to: '2026-03-01' })).toEqual(['InvalidAnswer', before, ['ask']]);
    const whole = [{ pointer: '', code: 'rule', message: 'New Year is no working day' }];
    expect(refused({ from: '2026-01-01' })).toEqual(['InvalidAnswer', whole, ['ask']]);
    expect(refused({ from: '2026-03-02' })).toEqual([undefined, undefined, []]);
    expect(refused({ from: '2026-03-02', to: '2026-03-02' })).toEqual([undefined, undefined, []]);
  });

  it('are looked at once every field is valid by itself', () => {
    const [code, issues] = refused({ to: 'soon' });
    expect([code, issues]).toMatchObject(['InvalidAnswer', [{ pointer: '/from' }, { pointer: '/to' }]]);
  });

  it('are recorded with what they refused', () => {
    const s = new Scenario(asking({ fields: span, rules })).start();
    s.tryAnswer('ask', { values: { from: '2026-01-01' } });
    expect(s.of('request.refused')).toMatchObject([{ code: 'InvalidAnswer', issues: [{ pointer: '', code: 'rule' }] }]);
  });

  it('see the defaults and the time', () => {
    const fields = [{ name: 'day', type: 'datetime', default: '2026-03-02T08:00:00Z' }];
    const past = [{ assert: 'timestamp(values.day) > now', message: 'must be to come' }];
    const s = new Scenario(asking({ fields, rules: past })).start();
    expect(s.tryAnswer('ask', {}).refusal?.code).toBe('InvalidAnswer');
    expect(s.tryAnswer('ask', { values: { day: '2026-03-02T10:00:00Z' } }).refusal).toBeUndefined();
  });

  it('that cannot be evaluated do not hold, and say why', () => {
    const fields = [{ name: 'a', type: 'number', required: true }];
    const s = new Scenario(asking({ fields, rules: [{ assert: '1 / int(values.a) > 0', message: 'no' }] })).start();
    const { refusal } = s.tryAnswer('ask', { values: { a: 0 } });
    expect(refusal?.message).toMatch(/no \(.*zero/);
  });

  it('are checked when the graph is: types, fields, and what may be absent', () => {
    expect(faultsOf({ fields: span, rules })).toEqual([]);
    const bad = [
      { assert: 'values.to >= values.from', message: 'm' },
      { assert: 'values.from', message: 'm', fields: ['form'] },
      { assert: 'true', message: 'm', when: 'values.nobody' },
    ];
    expect(faultsOf({ fields: span, rules: bad }).sort()).toEqual([
      'ExpressionType /rules/1/assert',
      'ExpressionType /rules/2/when',
      'OptionalRead /rules/0/assert',
      'UnknownField /rules/1/fields/0',
    ]);
  });

  it('keep a deadline from taking defaults that break them', () => {
    const fields = [{ name: 'n', type: 'number', default: 1 }];
    const deadline = { after: '1m', onExpire: 'default' } as const;
    const s = new Scenario(asking({ fields, deadline, rules: [{ assert: 'values.n > 1.0', message: 'm' }] })).start();
    s.advance(60_000);
    expect(s.run.error?.code).toBe('RequestExpired');
  });
});

describe('a choice', () => {
  it('has one field with options, and nothing else', () => {
    expect(faultsOf({ kind: 'choice' })).toEqual(['InvalidChoice ']);
    expect(faultsOf({ kind: 'choice', fields: span })).toEqual(['InvalidChoice ']);
    expect(faultsOf({ kind: 'choice', fields: [{ name: 'a', type: 'number' }] })).toEqual(['InvalidChoice ']);
    expect(faultsOf({ kind: 'choice', fields: [{ name: 'a', type: 'select', options: ['x'] }] })).toEqual([]);
  });

  it('is approved by choosing', () => {
    const s = new Scenario(asking({ kind: 'choice', fields: [{ name: 'tab', type: 'radio', options: ['a', 'b'] }] }));
    s.start().answer('ask', { values: { tab: 'b' } });
    expect(s.of('request.answered')).toMatchObject([{ action: 'approve', values: { tab: 'b' } }]);
  });
});

describe('a display', () => {
  it('shows something and asks for nothing', () => {
    expect(faultsOf({ kind: 'display' })).toEqual(['NothingToShow ']);
    expect(faultsOf({ kind: 'display', message: 'x', fields: span })).toEqual(['FieldsInDisplay /fields']);
    expect(faultsOf({ kind: 'display', displays: [{ type: 'tabel' }] })).toEqual([
      'UnknownDisplayType /displays/0/type',
    ]);
    const s = new Scenario(asking({ kind: 'display', message: 'Look.' })).start().answer('ask');
    expect(s.of('request.answered')).toMatchObject([{ action: 'approve', values: {} }]);
  });

  it('is filled from the state when the question is opened, and stays as it was shown', () => {
    const orders = { schema: { type: 'array', items: { type: 'object' }, default: [{ id: 'A-1', cents: 500 }] } };
    const displays = [{ type: 'table', columns: ['id'], rows: { cel: 'state.orders' } }];
    const s = new Scenario(asking({ kind: 'display', displays }, { state: { orders } })).start();
    const request = [...s.run.requests.values()][0]!;
    const shown = () => askedDisplays(request, requestOf(s.program, s.run, request));
    const columns = [{ key: 'id', label: 'id' }];
    expect(shown()).toEqual([{ type: 'table', columns, rows: [{ id: 'A-1', cents: 500 }] }]);
    s.act({ type: 'edit', set: { orders: [] }, reason: 'later' });
    expect(shown()).toEqual([{ type: 'table', columns, rows: [{ id: 'A-1', cents: 500 }] }]);
  });

  it('that the state makes no display of fails the node, told with its code', () => {
    const odd = { schema: { default: 'none' } };
    const displays = [{ type: 'table', rows: { cel: 'state.odd' } }];
    const s = new Scenario(asking({ kind: 'display', displays }, { state: { odd } })).start();
    expect(s.run.error).toMatchObject({ code: 'InvalidDisplay', permanent: true });
  });
});

describe('options that come from the state', () => {
  const state = (value: unknown) => ({ tabs: { schema: { default: value as never } } });
  const fields = [{ name: 'tab', type: 'select', required: true, options: { cel: 'state.tabs' } }];
  const start = (value: unknown, field: object = {}) =>
    new Scenario(asking({ fields: [{ ...fields[0]!, ...field }] }, { state: state(value) })).start();

  it('are stored complete when the question is opened, and the answer is held against them', () => {
    const s = start(['a', { value: 'b', label: 'B' }]);
    const options = [
      { value: 'a', label: 'a' },
      { value: 'b', label: 'B' },
    ];
    expect(s.of('request.opened')[0]?.filled).toMatchObject({ 'options/tab': options });
    s.act({ type: 'edit', set: { tabs: ['c'] }, reason: 'closed meanwhile' });
    expect(s.tryAnswer('ask', { values: { tab: 'c' } }).refusal?.code).toBe('InvalidAnswer');
    const request = [...s.run.requests.values()][0]!;
    expect(askedFields(request, requestOf(s.program, s.run, request))).toMatchObject([{ options }]);
    s.answer('ask', { values: { tab: 'b' } });
    expect(s.status).toBe('completed');
  });

  it('that nobody could choose from fail the node; where nothing has to be chosen there may be none', () => {
    expect(start([]).run.error?.code).toBe('NoOptions');
    expect(start(['a', 'a']).run.error?.code).toBe('DuplicateOption');
    expect(start('a').run.error?.code).toBe('InvalidField');
    expect(start(['a'], { default: 'b', required: false }).run.error?.code).toBe('DefaultOutOfBounds');
    expect(start([], { required: false }).status).toBe('suspended');
  });
});

describe('a subject', () => {
  const subject = { order: { cel: 'input.order' }, cents: 500 };
  const approval = asking(
    { kind: 'confirmation', subject },
    { input: { type: 'object', required: ['order'], properties: { order: { type: 'string' } } } },
  );
  const digest = digestOf({ order: 'A-1', cents: 500 });

  it('is exactly what is approved: its digest stands in the log, and another is refused', () => {
    const s = new Scenario(approval).start({ order: 'A-1' });
    expect(s.of('request.opened')).toMatchObject([
      { subject: digest, filled: { subject: { order: 'A-1', cents: 500 } } },
    ]);
    const other = digestOf({ order: 'A-1', cents: 50000 });
    expect(s.tryAnswer('ask', { action: 'approve', subject: other }).refusal?.code).toBe('SubjectMismatch');
    expect(s.open).toEqual(['ask']);
    s.answer('ask', { action: 'approve', subject: digest });
    expect(s.status).toBe('completed');
  });

  it('wants an action, and a change said', () => {
    const fields = [{ name: 'cents', type: 'number', required: true }];
    const form = asking({ fields, subject: { cents: 5 }, proposal: { values: { cents: 5 } } });
    const s = new Scenario(form).start();
    expect(s.tryAnswer('ask', {}).refusal?.code).toBe('ActionRequired');
    expect(s.tryAnswer('ask', { action: 'approve', values: { cents: 6 } }).refusal?.code).toBe('EditNotSaid');
    expect(s.tryAnswer('ask', { action: 'edit', values: { cents: 6 } }).refusal).toBeUndefined();
  });
});

describe('up to fifty fields', () => {
  it('are asked in one form, and one more is a fault', () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `f${i}`, type: 'boolean' }));
    expect(faultsOf({ fields: many(50) })).toEqual([]);
    expect(faultsOf({ fields: many(51) })).toEqual(['TooManyFields /fields']);
    const values = Object.fromEntries(many(50).map(({ name }, i) => [name, i % 2 === 0]));
    const s = new Scenario(asking({ fields: many(50) })).start().answer('ask', { values });
    expect(s.of('request.answered')).toMatchObject([{ values }]);
  });
});

describe('local times of a question', () => {
  it('are read in the zone of the graph that asks, be it inside another', () => {
    const inner = asking({ fields: [{ name: 'at', type: 'datetime', required: true }] }, { zone: 'Asia/Taipei' });
    const outer = graph({
      zone: 'America/New_York',
      nodes: { sub: { type: 'subgraph', graph: 'inner' } },
      graphs: { inner },
    });
    const s = new Scenario(outer).start().answer('ask', { values: { at: '2026-05-04T09:00' } });
    expect(s.of('request.answered')).toMatchObject([{ values: { at: '2026-05-04T01:00:00.000Z' } }]);
  });
});
