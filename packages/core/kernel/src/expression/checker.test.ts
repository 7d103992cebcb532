import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExprType } from './expr-type.ts';
import { compileExpression } from './expression.ts';
import { typeOfSchema } from './schema-type.ts';

const variables = {
  state: typeOfSchema({
    type: 'object',
    required: ['count', 'intent', 'items', 'name'],
    properties: {
      count: { type: 'integer' },
      amount: { type: 'number' },
      name: { type: 'string' },
      nick: { type: 'string' },
      ready: { type: 'boolean' },
      limit: { type: ['number', 'null'] },
      intent: { enum: ['refund', 'faq', 'complaint'] },
      tags: { type: 'array', items: { type: 'string' }, default: [] },
      items: {
        type: 'array',
        items: { type: 'object', required: ['id'], properties: { id: { type: 'string' }, price: { type: 'number' } } },
      },
      customer: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, mail: { type: 'string' } },
      },
      extra: { type: 'object', properties: { known: { type: 'string' } }, additionalProperties: true },
    },
  }),
  output: ExprType.dyn,
  now: ExprType.timestamp,
};

const check = (source: string, expected?: ExprType) => compileExpression(source, { variables }, expected);
const codes = (source: string, expected?: ExprType) => check(source, expected).faults.map(fault => fault.code);

describe('fields that may be absent', () => {
  it.each([
    'state.amount > 3',
    'has(state.nick) && state.amount > 3',
    'has(state.amount) || state.amount > 3',
    '!has(state.amount) && state.amount > 3',
    'has(state.amount) ? 0.0 : state.amount',
    '(has(state.amount) || state.count > 1) && state.amount > 3',
    'state.customer.name == "x"',
    'has(state.customer.mail)',
    'has(state.customer) && state.customer.mail == "x"',
    "state['amount'] > 3",
    'state.items.all(i, i.price > 0)',
    'state.items.all(i, has(i.price)) && state.items.all(i, i.price > 0)',
    'state.items.exists(i, has(i.price) && state.items.all(i, i.price > 0))',
    'state.items[0].price > 0',
    'has(state.items[0].price) && state.items[1].price > 0',
  ])('%s is refused', source => {
    expect(codes(source)).toContain('OptionalRead');
    expect(check(source).expression).toBeUndefined();
  });

  it.each([
    'has(state.amount) && state.amount > 3',
    'state.amount > 3 && has(state.amount)',
    '!has(state.amount) || state.amount > 3',
    'state.amount > 3 || !has(state.amount)',
    'has(state.amount) ? state.amount > 3 : false',
    '!has(state.amount) ? false : state.amount > 3',
    '!(!has(state.amount) || state.count < 1) && state.amount > 3',
    'has(state.amount) && has(state.nick) && state.amount > 3 && state.nick != ""',
    '(has(state.amount) && state.count > 1 || has(state.amount) && state.count < 0) && state.amount > 3',
    'has(state.customer) && has(state.customer.mail) && state.customer.mail != ""',
    'has(state.customer) && state.customer.name != ""',
    "'amount' in state && state.amount > 3",
    "has(state.amount) && state['amount'] > 3",
    'state.amount.orValue(0) > 3',
    "state.customer.mail.orValue('') == ''",
    'state.tags.size() > 0',
    'state.extra.orValue({}).anything.orValue(1) == 1',
    'state.items.all(i, has(i.price) && i.price > 0)',
    'state.items.map(i, has(i.price), i.price).size() > 0',
    'has(state.items[0].price) && state.items[0].price > 0',
    'state.items.exists(i, has(i.price) && state.items.all(j, i.price > 0))',
    'output.amount > 3',
    'has(output.amount) && output.amount > 3',
  ])('%s is allowed', source => {
    expect(check(source, ExprType.bool).faults).toEqual([]);
  });

  it('says what to write instead', () => {
    expect(check('state.amount > 3').faults).toEqual([
      {
        code: 'OptionalRead',
        severity: 'error',
        message: 'state.amount may be absent',
        hint: 'Ask has(state.amount) first, or write state.amount.orValue(0)',
        offset: 6,
      },
    ]);
    expect(check('state.nick == ""').faults[0]?.hint).toContain("state.nick.orValue('')");
  });
});

describe('a guard that the checker lets through', () => {
  const fields = ['a', 'b'] as const;
  const optional = { variables: { s: ExprType.object({ a: ExprType.int, b: ExprType.int }, { optional: fields }) } };
  const field = fc.constantFrom(...fields);
  const { guard } = fc.letrec<{ guard: string }>(tie => ({
    guard: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      field.map(name => `has(s.${name})`),
      field.map(name => `s.${name} > 0`),
      field.map(name => `'${name}' in s`),
      tie('guard').map(inner => `!(${inner})`),
      fc.tuple(tie('guard'), tie('guard')).map(([left, right]) => `(${left} && ${right})`),
      fc.tuple(tie('guard'), tie('guard')).map(([left, right]) => `(${left} || ${right})`),
      fc.tuple(tie('guard'), tie('guard'), tie('guard')).map(([test, then, other]) => `(${test} ? ${then} : ${other})`),
    ),
  }));

  it('never meets an absent field, whatever is there', () => {
    let passed = 0;
    const check = fc.property(guard, source => {
      const { expression } = compileExpression(source, optional, ExprType.bool);
      if (expression === undefined) return;
      passed++;
      for (const s of [{}, { a: 1 }, { b: 0 }, { a: 0, b: 1 }])
        expect(expression.evaluate({ s })).toMatchObject({ ok: true });
    });
    fc.assert(check, { numRuns: 3000 });
    expect(passed).toBeGreaterThan(300);
  });
});

describe('types', () => {
  const WRONG: readonly (readonly [source: string, message: string, hint?: string])[] = [
    ['stat.count > 1', 'There is no variable stat', 'Did you mean state?'],
    ['state.coumt > 1', 'There is no field "coumt" on state', 'Did you mean count?'],
    ["state['coumt'] > 1", 'There is no field "coumt" on state', 'Did you mean count?'],
    ['has(state.amuont)', 'There is no field "amuont" on state', 'Did you mean amount?'],
    ['state.amuont.orValue(1)', 'There is no field "amuont" on state', 'Did you mean amount?'],
    ['state.count.value', 'state.count is int and has no fields'],
    ["state.count == '3'", 'int and string are never equal', 'Make a number of the text with int(…) or double(…)'],
    ["state.count < '3'", '< does not work on int and string'],
    ['state.name + 1', '+ does not work on string and int', 'Make text of the number with string(…)'],
    [
      "now > '2026-01-01T00:00:00Z'",
      '> does not work on timestamp and string',
      'Text becomes a time with timestamp(…), a span with duration(…)',
    ],
    ["state.name - 'x'", '- does not work on string and string'],
    ['state.items < 3', '< does not work on list of object and int'],
    ['-state.name', '- does not work on string'],
    ['!state.count', 'A condition must be true or false, and this is int'],
    ['state.count && true', 'A condition must be true or false, and this is int'],
    ['state.count ? 1 : 2', 'A condition must be true or false, and this is int'],
    ['state.items.all(i, i.id)', 'A condition must be true or false, and this is string'],
    ['state.count.all(i, i > 1)', 'state.count is int, no list to go through'],
    ['state.items.filter(i, i.sku == "x")', 'There is no field "sku" on i', 'Known here: id, price'],
    ['state.items["a"]', 'state.items is list of object and has no element under string'],
    ['state.name in [1, 2]', 'in does not work on string and list of int'],
    ['size(state.count)', 'size does not take int'],
    ['state.name.contains(3)', 'contains does not take int on string'],
    ['state.name.substring(1.5)', 'substring does not take double on string'],
    ["state.name.contain('x')", 'There is no function contain', 'Did you mean contains?'],
    ["state.name.matches('(')", 'The pattern cannot be read'],
    ['has(state)', 'has asks for a field', 'Write has(state.amount)'],
    ['orValue(state.amount, 0)', 'orValue stands on a field', 'Write state.amount.orValue(0)'],
    ['state.orValue(0)', 'orValue stands on a field and takes one value'],
    ['state.items.all(1, true)', 'all takes a name and an expression'],
    ['google.protobuf.Timestamp{seconds: 1}', 'Messages such as google.protobuf.Timestamp are not known'],
    ['9223372036854775808', '9223372036854775808 is beyond 64 bits'],
    ['constructor', 'There is no variable constructor'],
    ['__proto__.x', 'There is no variable __proto__'],
    ["state.constructor == 'x'", 'There is no field "constructor" on state'],
  ];

  it.each(WRONG.map(([source, message, hint]) => ({ source, message, hint })))('$source is refused: $message', row => {
    const { source, message, hint } = row;
    const [fault, ...others] = check(source).faults;
    expect(others).toEqual([]);
    expect(fault).toMatchObject({ code: 'ExpressionType', severity: 'error', ...(hint && { hint }) });
    expect(fault?.message).toContain(message);
    expect(fault?.offset).toBeTypeOf('number');
  });

  it.each([
    ['a guard', 'state.count', ExprType.bool, 'This gives int, where bool is expected'],
    ['a text', 'state.count > 1', ExprType.string, 'This gives bool, where string is expected'],
    ['a list', "'x'", ExprType.list(ExprType.dyn), 'This gives string, where list is expected'],
  ])('%s that gives something else is refused', (_, source, expected, message) => {
    expect(check(source, expected).faults).toMatchObject([{ code: 'ExpressionType', message }]);
  });

  it('reports all that is wrong at once, each slip once', () => {
    expect(codes('stat.count > 1 && state.amount > 3 && state.name == 1')).toEqual([
      'ExpressionType',
      'OptionalRead',
      'ExpressionType',
    ]);
  });

  it.each([
    ['state.count + 1', ExprType.int],
    ['state.count + 1.5', ExprType.double],
    ['state.count / 2', ExprType.int],
    ['output.x + 1', ExprType.dyn],
    ['now - now', ExprType.duration],
    ["now - duration('1h')", ExprType.timestamp],
    ['state.items.map(i, i.id)', ExprType.list(ExprType.string)],
    ['state.amount.orValue(0)', ExprType.union([ExprType.double, ExprType.int])],
    ["{'a': 1}", ExprType.object({ a: ExprType.int })],
    ['state.items.all(i, true)', ExprType.bool],
  ])('%s has its type', (source, type) => {
    expect(check(source).type).toEqual(type);
  });

  it('lets ints and doubles stand for each other where a number is expected', () => {
    expect(codes('state.count', ExprType.double)).toEqual([]);
    expect(codes('1.0', ExprType.int)).toEqual([]);
  });

  it('lets null be compared with anything, and a nullable number be used', () => {
    expect(codes('has(state.limit) && state.limit != null && state.limit > 3')).toEqual([]);
  });

  it('leaves what is not known to the evaluation', () => {
    expect(check('output.a + output.b.c[0] > output.d', ExprType.bool).faults).toEqual([]);
    const guard = check('output.flag', ExprType.bool).expression;
    expect(guard?.evaluate({ output: { flag: true } })).toEqual({ ok: true, value: true });
    expect(guard?.evaluate({ output: { flag: 'yes' } })).toEqual({
      ok: false,
      reason: 'the expression gave string, where bool is expected',
    });
  });
});

describe('values that may be null', () => {
  const person = {
    type: 'object',
    required: ['name', 'age'],
    properties: { name: { type: 'string' }, age: { type: ['integer', 'null'] } },
  };
  const nullable = { variables: { user: typeOfSchema({ anyOf: [{ type: 'null' }, person] }) } };

  it.each(['user.name == "x"', 'user != null && user.age > 3', 'user == null && user.name == "x"'])(
    '%s is warned of',
    source => {
      const { faults, expression } = compileExpression(source, nullable);
      expect(faults).toMatchObject([
        { code: 'NullRead', severity: 'warning', hint: expect.stringMatching(/ != null first$/) },
      ]);
      expect(expression).toBeDefined();
    },
  );

  it.each([
    'user != null && user.name == "x"',
    'user == null || user.name == "x"',
    'user == null ? false : user.name == "x"',
    'has(user.name) && user.name == "x"',
    'user.name.orValue("") == "x"',
    'user != null && user.age != null && user.age > 3',
    'user == null',
  ])('%s is fine', source => {
    expect(compileExpression(source, nullable).faults).toEqual([]);
  });
});

describe('texts that an enum does not have', () => {
  it.each([
    ["state.intent == 'refnud'", "Did you mean 'refund'?"],
    ["'refnud' != state.intent", "Did you mean 'refund'?"],
    ["state.intent in ['faq', 'refnud']", "Did you mean 'refund'?"],
  ])('%s is warned of, and still compiles', (source, hint) => {
    const { faults, expression } = check(source);
    expect(faults).toMatchObject([{ code: 'ImpossibleComparison', severity: 'warning', hint }]);
    expect(expression).toBeDefined();
  });

  it.each([
    "state.intent == 'refund'",
    "state.intent in ['faq', 'refund']",
    "state.name == 'refnud'",
    'state.intent in state.tags',
  ])('%s is fine', source => {
    expect(codes(source)).toEqual([]);
  });
});

describe('syntax and size', () => {
  it.each([
    ['state.count = 1', 12, 'Compare with =='],
    ['state.count === 1', 12, 'CEL compares with == and !='],
    ['state.count > 1 and true', 16, 'Join conditions with &&'],
    ['state.?amount', 5, 'Write state.amount.orValue(0) to read a field that may be absent'],
    ['', 0, 'Write an expression, such as true'],
  ])('%s is refused with its place', (source, offset, hint) => {
    expect(check(source)).toMatchObject({
      expression: undefined,
      faults: [{ code: 'ExpressionSyntax', offset, hint }],
    });
  });

  it('keeps the position out of the message, which has it as a number', () => {
    expect(check('1 +').faults[0]?.message).not.toContain('<input>');
  });

  it.each([
    ['text', `'${'a'.repeat(10_000)}'`],
    ['parts', Array.from({ length: 600 }, () => '1').join(' + ')],
    ['parentheses', `${'('.repeat(4000)}1${')'.repeat(4000)}`],
    [
      'nested orValue',
      Array.from({ length: 60 }, () => '').reduce(inner => `output.a.orValue({}).b[${inner}].orValue(0)`, '1'),
    ],
    ['chained orValue', `output.a${'.orValue(output).a'.repeat(60)}`],
  ])('too much %s is refused', (_, source) => {
    expect(codes(source)).toEqual(['ExpressionTooLarge']);
  });
});

describe('reads', () => {
  it.each([
    ['state.count > 1', [['state', 'count']]],
    [
      "state['count'] > output.a.b",
      [
        ['state', 'count'],
        ['output', 'a', 'b'],
      ],
    ],
    ['has(state.amount)', [['state', 'amount']]],
    [
      'state.customer.mail.orValue(state.name)',
      [
        ['state', 'customer', 'mail'],
        ['state', 'name'],
      ],
    ],
    [
      'state.items.all(i, i.id != state.name)',
      [
        ['state', 'items'],
        ['state', 'name'],
      ],
    ],
    ['state.items[0].id', [['state', 'items']]],
    [
      'state.items[state.count].id',
      [
        ['state', 'items'],
        ['state', 'count'],
      ],
    ],
    ['output.all(state, state.x)', [['output']]],
    ['type(state.count) == int', [['state', 'count']]],
    ['1 + 1', []],
  ])('of %s', (source, reads) => {
    expect(check(source).expression?.reads).toEqual(reads);
  });
});
