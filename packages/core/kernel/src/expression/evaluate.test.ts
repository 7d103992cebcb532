import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../json/value.ts';
import { ExprType } from './expr-type.ts';
import { compileExpression } from './expression.ts';
import { typeOfSchema } from './schema-type.ts';

const state = typeOfSchema({
  type: 'object',
  required: ['count', 'amount', 'items', 'name'],
  properties: {
    count: { type: 'integer' },
    amount: { type: 'number' },
    name: { type: 'string' },
    items: {
      type: 'array',
      items: { type: 'object', properties: { price: { type: 'number' }, qty: { type: 'integer' } } },
    },
    note: { type: 'string' },
    customer: { type: 'object', properties: { name: { type: 'string' } } },
  },
});
const variables = { state, data: ExprType.dyn, now: ExprType.timestamp };

const bindings = {
  state: {
    count: 7,
    amount: 7,
    name: 'Ada',
    items: [{ price: 2.5, qty: 2 }, { price: 10, qty: 1 }, { qty: 4 }],
  },
  data: {
    seven: 7,
    half: 0.5,
    big: 2 ** 60,
    nothing: null,
    no: false,
    text: 'Größe: 😀',
    list: [1, 2.5, 3],
    map: { a: 1, b: 2 },
    order: { id: 'R-17', lines: [{ sku: 'x' }] },
  },
  now: '2026-03-29T01:30:00.250Z',
};

function evaluate(source: string, given: Record<string, unknown> = bindings) {
  const { expression, faults } = compileExpression(source, { variables });
  if (expression === undefined) throw new Error(JSON.stringify(faults));
  return expression.evaluate(given);
}

const GIVES: readonly (readonly [source: string, value: JsonValue])[] = [
  // Numbers: declared integers are ints, declared numbers are doubles, undeclared ones go by their value.
  ['state.count + 1', 8],
  ['state.count / 2', 3],
  ['-state.count / 2', -3],
  ['state.count % 4', 3],
  ['state.amount / 2', 3.5],
  ['state.amount % 4', 3],
  ['state.count * 1.5', 10.5],
  ['1.5 * state.count', 10.5],
  ['state.amount + state.count', 14],
  ['state.amount - 1', 6],
  ['state.count - state.amount', 0],
  ['data.seven / 2', 3],
  ['data.seven / 2.0', 3.5],
  ['data.half * 2', 1],
  ['data.seven + data.half', 7.5],
  ['1 == 1.0', true],
  ['state.amount == state.count', true],
  ['state.count >= 2', true],
  ['state.amount > 6.5 && state.count < 8', true],
  ['data.half < 1', true],
  ['-state.amount', -7],
  ['0.0 * -1.0', 0],
  ['data.big > 1', true],
  ['data.list[1] + data.list[0]', 3.5],
  ['double(state.count) / 2', 3.5],
  ['int(state.amount) / 2', 3],
  ["int('-42')", -42],
  ["double('1e3')", 1000],
  ['string(state.count)', '7'],
  // Presence: absent is neither null nor false.
  ['has(state.note)', false],
  ['has(data.nothing)', true],
  ['data.nothing == null', true],
  ['has(data.no)', true],
  ["has({'a': null}.a)", true],
  ['has(data.map.a) && !has(data.map.z)', true],
  ["'a' in data.map", true],
  ["'nothing' in data", true],
  ["state.note.orValue('none')", 'none'],
  ["state.customer.name.orValue('none')", 'none'],
  ["data.order.id.orValue('none')", 'R-17'],
  ['data.nothing.orValue(1)', null],
  ["data.nothing.name.orValue('none')", 'none'],
  ["data['order']['id'].orValue('none')", 'R-17'],
  ['data.list[9].orValue(0)', 0],
  ['data.list[2].orValue(0)', 3],
  ['data.list[0 - 1].orValue(0)', 0],
  ['data.map.z.orValue(data.map.y.orValue(3))', 3],
  ["has(state.note) ? state.note : 'none'", 'none'],
  ['has(state.note) && state.note == "x"', false],
  ['!has(state.note) || state.note == "x"', true],
  ['data.missing > 1 || true', true],
  ['false && data.missing > 1', false],
  ['data.missing > 1 && false', false],
  // Text.
  ["state.name + '!'", 'Ada!'],
  ['size(data.text)', 8],
  ["data.text.contains('😀')", true],
  ["state.name.matches('^A.a$')", true],
  ["'a-b-c'.split('-')", ['a', 'b', 'c']],
  ["['a', 'b'].join('+')", 'a+b'],
  ["'aXbXc'.replace('X', '--')", 'a--b--c'],
  ["'aXbXc'.replace('X', '', 1)", 'abXc'],
  ["' pad '.trim().upperAscii()", 'PAD'],
  ["'signal'.substring(1, 4)", 'ign'],
  // Lists and maps.
  ["state.name in ['Ada', 'Bob']", true],
  ['2.5 in data.list', true],
  ['1.0 in data.list', true],
  ['data.list', [1, 2.5, 3]],
  ['data.list + [4]', [1, 2.5, 3, 4]],
  ['data.list == [1.0, 2.5, 3]', true],
  ['state.items.all(i, i.qty.orValue(0) > 0)', true],
  ['state.items.exists(i, i.price.orValue(0) > 5)', true],
  ['state.items.exists_one(i, has(i.price) && i.price > 5)', true],
  ['state.items.filter(i, !has(i.price))', [{ qty: 4 }]],
  ['state.items.map(i, has(i.price), i.price * i.qty.orValue(1))', [5, 10]],
  ['data.list.map(x, x * 2)', [2, 5, 6]],
  ['data.map.map(k, data.map[k])', [1, 2]],
  ['data.map.all(k, k.size() == 1)', true],
  ["{'total': state.amount + 1, 'tags': [state.name, 'x']}", { total: 8, tags: ['Ada', 'x'] }],
  ['[1, 2, 3].map(x, [x, x]).size()', 3],
  ['data.order.lines[0].sku', 'x'],
  ['[data.order]', [bindings.data.order]],
  // Times.
  ['now', '2026-03-29T01:30:00.250Z'],
  ["now + duration('1h')", '2026-03-29T02:30:00.250Z'],
  ["now - timestamp('2026-03-29T00:00:00Z')", '5400.25s'],
  ["duration('90m')", '5400s'],
  ["duration('-1500ms')", '-1.5s'],
  ["timestamp('2026-03-29T01:30:00.000001Z')", '2026-03-29T01:30:00.000001Z'],
  ["now > timestamp('2026-03-29T00:00:00Z')", true],
  ['now.getHours()', 1],
  ["now.getHours('Europe/Berlin')", 3],
  ["now.getHours('-02:00')", 23],
  ['now.getDayOfWeek()', 0],
  ['timestamp(0)', '1970-01-01T00:00:00.000Z'],
  ['int(timestamp(12))', 12],
];

const FAILS: readonly (readonly [source: string, reason: string | RegExp])[] = [
  ['data.missing', 'no such field "missing" on data'],
  ['data.order.total > 5', 'no such field "total" on data.order'],
  ["data['missing']", 'no such field "missing" on data'],
  ['data.nothing.name', 'no such field "name" on data.nothing'],
  ['data.order.lines[3]', 'no element 3 on data.order.lines'],
  ['has(data.missing.name)', 'no such field "missing" on data'],
  ['data.missing > 1 || false', 'no such field "missing" on data'],
  ['data.missing && true', 'no such field "missing" on data'],
  ['data.constructor', 'no such field "constructor" on data'],
  ['data.__proto__', 'no such field "__proto__" on data'],
  ["data['__proto__'].polluted", 'no such field "__proto__" on data'],
  ['data.order.toString', 'no such field "toString" on data.order'],
  ['data.list.length', 'no such field "length" on data.list'],
  ["{'__proto__': 1}", /__proto__ is not allowed/],
  ["{'a': 1, 'a': 2}", /written twice/],
  ['{1: 2}', /JSON objects have text keys/],
  ['data.text + 1', '+ does not work on (string, int)'],
  ['data.order < 1', /< does not work on/],
  ['1 / 0', /divide by zero/],
  ['1.0 / 0', /no JSON number/],
  ['9007199254740992 + 1', /beyond 2\^53/],
  ["int('')", /no integer/],
  ["int('0x10')", /no integer/],
  ["double('')", /no number/],
  ["timestamp('yesterday')", /timestamp/],
  ["b'abc'", /no JSON value/],
  ['data.text.substring(0, 8)', /cut inside a character/],
];

describe('what an expression gives', () => {
  it.each(GIVES)('%s gives %j', (source, value) => {
    expect(evaluate(source)).toEqual({ ok: true, value });
  });

  it.each(FAILS)('%s cannot be evaluated, and says why', (source, reason) => {
    const result = evaluate(source);
    expect(result).toMatchObject({ ok: false });
    expect(result.ok ? '' : result.reason).toMatch(reason);
  });

  it('says which variable has no value', () => {
    expect(evaluate('data.a', {})).toEqual({ ok: false, reason: 'there is no value for data here' });
  });

  it('reads a member that holds undefined as absent', () => {
    expect(evaluate('has(data.a)', { data: { a: undefined } })).toEqual({ ok: true, value: false });
  });

  it('finds own keys named like members of every object', () => {
    expect(evaluate('data.toString', { data: { toString: 'mine' } })).toEqual({ ok: true, value: 'mine' });
    expect(evaluate('data.has', { data: Object.assign(Object.create(null), { has: 1 }) })).toEqual({
      ok: true,
      value: 1,
    });
  });
});

describe('cost', () => {
  const refused = { ok: false, reason: 'cost limit: the expression looks at too much' };
  const sixty = Array.from({ length: 60 }, (_, index) => index);
  const tens = `[${sixty.slice(0, 10).join(', ')}]`;
  const nest = (list: string, depth: number): string =>
    depth === 0 ? 'true' : `${list}.all(x${depth}, ${nest(list, depth - 1)})`;

  it.each([
    ['loops in loops over data', nest('data', 4)],
    ['loops in loops over a written list', nest(tens, 7)],
    [
      'loops whose result is absorbed',
      `true || ${nest(tens, 7)} || ${nest(tens, 7)}`.replace('true', 'data.size() == 0'),
    ],
    ['a search in a list for each of its elements', 'data.all(a, data.all(b, data.all(c, !(99 in data))))'],
    ['lists that double', `[[1, 2, 3, 4]]${'.map(z, z + z)'.repeat(40)}.size() > 0`],
    ['text that doubles', `['abcdefgh']${'.map(z, z + z)'.repeat(40)}.size() > 0`],
    ['text that is replaced into more text', `['abcdefgh']${".map(z, z.replace('a', z + z))".repeat(30)}.size() > 0`],
    ['a tree of shared parts as result', `[[1]]${'.map(z, [z, z])'.repeat(40)}`],
    [
      'a comparison of trees of shared parts',
      `[[1]]${'.map(z, [z, z])'.repeat(40)} == [[1]]${'.map(z, [z, z])'.repeat(40)}`,
    ],
  ])('%s end in a refusal', (_, source) => {
    expect(evaluate(source, { data: sixty })).toEqual(refused);
  });

  it('refuses even where the logic would absorb the error', () => {
    expect(evaluate(`${nest(tens, 7)} || true`, {})).toEqual(refused);
  });

  it('lets a pass over a hundred thousand items through', () => {
    const items = Array.from({ length: 100_000 }, (_, qty) => ({ qty }));
    expect(evaluate('state.items.map(i, i.qty.orValue(0) + 1).size()', { state: { items } })).toEqual({
      ok: true,
      value: 100_000,
    });
  });

  it('counts what a pattern repeats, not how short it is written', () => {
    const pattern = "data.matches('[a-z]{1,1000}[0-9]')";
    expect(evaluate(pattern, { data: 'ab'.repeat(20) })).toEqual({ ok: true, value: false });
    expect(evaluate(pattern, { data: 'ab'.repeat(50_000) })).toEqual(refused);
  });

  it('matches a pattern that ruins backtracking engines', () => {
    expect(evaluate("data.matches('^(a+)+$')", { data: `${'a'.repeat(5000)}!` })).toEqual({ ok: true, value: false });
  });
});

describe('laziness', () => {
  it('reads only what the expression names', () => {
    const read: string[] = [];
    const spy = (name: string, value: unknown) => ({ enumerable: true, get: () => read.push(name) && value });
    const inner = Object.defineProperties({}, { count: spy('count', 4), items: spy('items', []) });
    const given = Object.defineProperties({}, { state: spy('state', inner), data: spy('data', {}) });
    expect(evaluate('state.count > 3', given)).toEqual({ ok: true, value: true });
    expect(new Set(read)).toEqual(new Set(['state', 'count']));
  });

  it('gives out what it was given, not a copy', () => {
    const result = evaluate('data.order');
    expect(result.ok && result.value).toBe(bindings.data.order);
  });

  it('leaves a list alone that was added to', () => {
    const list = [1, 2];
    expect(evaluate('(data + [3]) + (data + [4])', { data: list })).toEqual({ ok: true, value: [1, 2, 3, 1, 2, 4] });
    expect(list).toEqual([1, 2]);
  });

  it('keeps two lists apart that grew from the same one', () => {
    expect(evaluate('[[1]].map(l, [l + [2], l + [3]])[0]')).toEqual({
      ok: true,
      value: [
        [1, 2],
        [1, 3],
      ],
    });
  });
});

describe('arithmetic', () => {
  const operators = ['+', '-', '*'] as const;
  const apply = {
    '+': (a: number, b: number) => a + b,
    '-': (a: number, b: number) => a - b,
    '*': (a: number, b: number) => a * b,
  };
  const number = fc.oneof(
    fc.integer({ min: -1_000_000, max: 1_000_000 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );

  it('is that of JavaScript for every mix of ints and doubles, declared or not', () => {
    const declared = fc.constantFrom(ExprType.dyn, ExprType.double);
    fc.assert(
      fc.property(number, number, fc.constantFrom(...operators), declared, declared, (a, b, operator, left, right) => {
        const wanted = apply[operator](a, b);
        fc.pre(Number.isFinite(wanted) && Math.abs(wanted) < Number.MAX_SAFE_INTEGER);
        const { expression } = compileExpression(`a ${operator} b`, { variables: { a: left, b: right } });
        expect(expression?.evaluate({ a, b })).toEqual({ ok: true, value: wanted === 0 ? 0 : wanted });
      }),
    );
  });

  it('compares like JavaScript', () => {
    const comparisons = {
      '<': (a: number, b: number) => a < b,
      '>=': (a: number, b: number) => a >= b,
      '==': (a: number, b: number) => a === b,
    };
    const operator = fc.constantFrom('<' as const, '>=' as const, '==' as const);
    fc.assert(
      fc.property(number, number, operator, (a, b, name) => {
        const { expression } = compileExpression(`a ${name} b`, { variables: { a: ExprType.dyn, b: ExprType.dyn } });
        expect(expression?.evaluate({ a, b })).toEqual({ ok: true, value: comparisons[name](a, b) });
      }),
    );
  });

  it('gives any JSON value back as it is', () => {
    const { expression } = compileExpression("[value, {'k': value}]", { variables: { value: ExprType.dyn } });
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const back = expression?.evaluate({ value });
        fc.pre(JSON.stringify(value) !== '-0');
        expect(back?.ok && JSON.stringify(back.value)).toBe(JSON.stringify([value, { k: value }]));
      }),
    );
  });
});
