import { describe, expect, it } from 'vitest';
import type { CompiledContract } from '../contract/compiled-contract.ts';
import type { JsonObject } from '../json/value.ts';
import type { Judgement } from './judgement.ts';
import { contractOf, historyOf, judge, verdictOf } from './testing/contract.ts';

const ORDER = {
  type: 'object',
  required: ['order', 'amount'],
  additionalProperties: false,
  properties: { order: { type: 'string' }, amount: { type: 'number', minimum: 0 }, note: { type: 'string' } },
};
const GIVEN = { order: 'R-17', amount: 20 };

function refund(more: object = {}, rest: object = {}) {
  return contractOf({ refund: { input_schema: ORDER, ...more } }, { ...rest });
}

function refusalOf(judgement: Judgement) {
  return judgement.verdict === 'refused' ? judgement.refusal : undefined;
}

function stagesOf(judgement: Judgement): string[] {
  return judgement.stages.map(({ stage, outcome }) => `${stage} ${outcome}`);
}

describe('a call that the contract lets through', () => {
  it('passes every stage in order, and keeps its arguments', () => {
    const judgement = judge(refund(), 'refund', GIVEN);
    expect(verdictOf(judgement)).toEqual({ ready: GIVEN });
    expect(stagesOf(judgement)).toEqual([
      ...['parse passed', 'allow passed', 'normalize passed', 'validate passed', 'bind passed'],
      ...['limits passed', 'rules passed', 'budget passed', 'approval passed'],
    ]);
  });

  it('shows in its stages what was changed, by rule and place, before and after', () => {
    const contract = contractOf({
      find: {
        input_schema: {
          type: 'object',
          properties: { q: { type: 'string' }, most: { type: 'integer' }, deep: { type: 'boolean', default: false } },
        },
      },
    });
    const judgement = judge(contract, 'find', { q: 'x', most: '5' });
    expect(verdictOf(judgement)).toEqual({ ready: { q: 'x', most: 5, deep: false } });
    expect(judgement.stages.slice(2, 4)).toEqual([
      {
        stage: 'normalize',
        outcome: 'changed',
        in: { q: 'x', most: '5' },
        out: { q: 'x', most: 5 },
        changes: [{ pointer: '/most', rule: 'integerFromText' }],
      },
      {
        stage: 'validate',
        outcome: 'changed',
        out: { q: 'x', most: 5, deep: false },
        changes: [{ pointer: '/deep', rule: 'default' }],
      },
    ]);
  });

  it('has a subject that changes with the tool, its version, the contract, the effect class and any argument, and with nothing else', () => {
    const subjectOf = (judgement: Judgement) => (judgement.verdict === 'refused' ? '' : judgement.subject);
    const first = subjectOf(judge(refund(), 'refund', '{"order":"R-17","amount":20}'));
    expect(subjectOf(judge(refund(), 'refund', '{"amount":20.0, "order":"R-17"}', { state: { a: 1 } }))).toBe(first);
    expect(subjectOf(judge(refund(), 'refund', '{"amount":"20","order":"R-17"}'))).toBe(first);
    const others = [
      judge(refund(), 'refund', { ...GIVEN, amount: 20.01 }),
      judge(refund({ effect: 'read' }), 'refund', GIVEN),
      judge(refund({ limits: { perRun: 9 } }), 'refund', GIVEN),
      judge(refund(), 'refund', GIVEN, {}, { version: '2' }),
      judge(refund(), 'refund', GIVEN, {}, { version: '3' }),
    ].map(subjectOf);
    expect(new Set([first, ...others]).size).toBe(6);
  });
});

describe('arguments', () => {
  it.each(['{"order":"R-1","amount":"20"}', '{"order":', ''])('that came as %j stand so in the first stage', text => {
    expect(judge(refund(), 'refund', text).stages[0]).toMatchObject({ stage: 'parse', in: text });
  });

  it('that are no JSON are refused with the place, and nothing of the tool is looked at', () => {
    const judgement = judge(refund(), 'refund', '{"order":"R-17"');
    expect(stagesOf(judgement)).toEqual(['parse refused']);
    expect(refusalOf(judgement)).toMatchObject({
      code: 'argumentsUnreadable',
      message: expect.stringContaining('line 1, column 16'),
      allowed: ['refund'],
      retryable: true,
    });
  });

  it.each(['{"order":"a","order":"b","amount":1}', '{"__proto__":{}}', '{"amount":9007199254740993}', '{}{}'])(
    'like %s are refused as unreadable',
    text => {
      expect(verdictOf(judge(refund(), 'refund', text))).toEqual({ argumentsUnreadable: [] });
    },
  );

  it.each(['[1]', 'null', '"x"', '5'])('that are %s and no object are refused', text => {
    expect(verdictOf(judge(refund(), 'refund', text))).toEqual({ argumentsInvalid: [''] });
    const open = contractOf({ any: { input_schema: {} } });
    expect(verdictOf(judge(open, 'any', text))).toEqual({ argumentsInvalid: [''] });
  });

  it('that are no text at all are an empty object, and what is required is missing', () => {
    const list = contractOf({ list: {} });
    const judgement = judge(list, 'list', ' ');
    expect(verdictOf(judgement)).toEqual({ ready: {} });
    expect(judgement.stages[0]).toMatchObject({ outcome: 'changed', in: ' ', out: {} });
    expect(verdictOf(judge(refund(), 'refund', ''))).toEqual({ argumentsInvalid: ['/order', '/amount'] });
  });

  it('that do not fit are refused with every place, in words that hold no value', () => {
    const refusal = refusalOf(judge(refund(), 'refund', { order: 7, amount: -1, nota: 'hush' }));
    expect(refusal?.issues?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/nota unknownKey',
      '/order type',
      '/amount minimum',
    ]);
    expect(refusal?.message).toBe(
      'The arguments of `refund` do not fit: /nota is not a known key; did you mean `note`?; /order must be a text, not a number; /amount must be at least 0.',
    );
  });

  it('that are wrong in very many places are refused with the first of them', () => {
    const list = contractOf({
      add: { input_schema: { properties: { n: { type: 'array', items: { type: 'integer' } } } } },
    });
    const refusal = refusalOf(judge(list, 'add', { n: Array.from({ length: 500 }, () => 'x') }));
    expect(refusal?.issues).toHaveLength(50);
    expect(refusal?.message).toContain('; 495 more.');
  });

  it('that can be read in two ways are refused, and the refusal says so', () => {
    const refusal = refusalOf(judge(refund(), 'refund', { order: 'R-17', amount: '1,234' }));
    expect(refusal?.issues?.[0]?.message).toContain('can be read in more than one way');
  });

  it('are taken as they are where the contract says so', () => {
    expect(verdictOf(judge(refund({ normalize: false }), 'refund', { ...GIVEN, amount: '20' }))).toEqual({
      argumentsInvalid: ['/amount'],
    });
  });

  it('may not hold the key that marks erased values, however it is written', () => {
    const open = contractOf({ any: { input_schema: { properties: { meta: { type: 'object' } } } } });
    expect(verdictOf(judge(open, 'any', '{"a":{"\\u0024erased":1}}'))).toEqual({ argumentsInvalid: ['/a/$erased'] });
    expect(verdictOf(judge(open, 'any', { meta: '{"$erased":1}' }))).toEqual({ argumentsInvalid: ['/meta/$erased'] });
  });

  it('without an offset are read in the zone of the caller, or refused', () => {
    const call = contractOf({
      book: { input_schema: { type: 'object', properties: { at: { type: 'string', format: 'date-time' } } } },
    });
    const at = { at: '2026-03-04 09:00' };
    expect(verdictOf(judge(call, 'book', at))).toEqual({ argumentsInvalid: ['/at'] });
    expect(verdictOf(judge(call, 'book', at, {}, { zone: 'Asia/Taipei' }))).toEqual({
      ready: { at: '2026-03-04T01:00:00.000Z' },
    });
  });
});

describe('a tool', () => {
  it('that does not exist is refused, with the one that was likely meant and what is allowed', () => {
    const refusal = refusalOf(judge(contractOf({ refund: {}, ship: {} }), 'refnd', {}));
    expect(refusal).toMatchObject({
      code: 'unknownTool',
      message: 'There is no tool `refnd`. Did you mean `refund`?',
      allowed: ['refund', 'ship'],
    });
  });

  it('that exists outside of the contract is not allowed', () => {
    const refusal = refusalOf(judge(refund(), 'drop_table', {}, {}, { known: ['drop_table'] }));
    expect(refusal).toMatchObject({ code: 'notAllowed', allowed: ['refund'] });
  });

  it.each(['toString', 'constructor', '__proto__', ''])('named %s is none', name => {
    expect(verdictOf(judge(refund(), name, {}))).toEqual({ unknownTool: [] });
  });

  it('of an empty contract cannot be called at all', () => {
    expect(refusalOf(judge(contractOf({}), 'refund', GIVEN))).toMatchObject({ code: 'unknownTool', allowed: [] });
  });

  it('exists only while its `when` holds; one that cannot be evaluated closes it', () => {
    const contract = refund({ when: 'state.verified == true' });
    expect(verdictOf(judge(contract, 'refund', GIVEN, { state: { verified: true } }))).toEqual({ ready: GIVEN });
    const refusal = refusalOf(judge(contract, 'refund', GIVEN, { state: { verified: false } }));
    expect(refusal).toMatchObject({ code: 'disabledInState', allowed: [], retryable: true });
    const unknown = refusalOf(judge(contract, 'refund', GIVEN, { state: {} }));
    expect(unknown).toMatchObject({ code: 'disabledInState', message: expect.stringContaining('no such field') });
  });
});

describe('a bound argument', () => {
  const contract = refund({ bind: { order: 'state.orders' } });

  it.each([
    ['equals the value', 'R-17', 'R-17', true],
    ['is a member of the list', 'R-17', ['R-16', 'R-17'], true],
    ['is another text', 'R-18', 'R-17', false],
    ['is in no list', 'R-18', ['R-16', 'R-17'], false],
    ['is a part of the text', 'R', 'R-17', false],
    ['is compared with nothing', 'R-17', [], false],
    ['is of another type', '17', 17, false],
  ])('%s', (_, order, orders, holds) => {
    const outcome = verdictOf(judge(contract, 'refund', { ...GIVEN, order }, { state: { orders } }));
    expect(outcome).toEqual(holds ? { ready: { ...GIVEN, order } } : { notBound: ['/order'] });
  });

  it('is refused where the expression cannot be evaluated', () => {
    expect(verdictOf(judge(contract, 'refund', GIVEN, { state: {} }))).toEqual({ notBound: ['/order'] });
  });

  it('is looked at as the tool would get it, wherever it stands', () => {
    const deep = contractOf({
      pay: {
        input_schema: {
          type: 'object',
          properties: { to: { type: 'object', properties: { id: { type: 'integer' } } } },
        },
        bind: { '/to/id': 'state.account' },
      },
    });
    const state = { account: 7 };
    expect(verdictOf(judge(deep, 'pay', { to: { id: '7' } }, { state }))).toEqual({ ready: { to: { id: 7 } } });
    expect(verdictOf(judge(deep, 'pay', { to: { id: 8 } }, { state }))).toEqual({ notBound: ['/to/id'] });
    expect(verdictOf(judge(deep, 'pay', {}, { state }))).toEqual({ notBound: ['/to/id'] });
  });

  it('that is a list has members of the list alone, and at least one', () => {
    const lists = contractOf({
      find: {
        input_schema: { type: 'object', properties: { of: { type: 'array', items: { type: 'string' } } } },
        bind: { of: 'state.mine' },
      },
    });
    const outcome = (of: string[]) => verdictOf(judge(lists, 'find', { of }, { state: { mine: ['a', 'b'] } }));
    expect(outcome(['b'])).toEqual({ ready: { of: ['b'] } });
    expect(outcome(['a', 'c'])).toEqual({ notBound: ['/of'] });
    expect(outcome([])).toEqual({ notBound: ['/of'] });
  });

  it('is refused without saying what it is bound to', () => {
    const refusal = refusalOf(judge(contract, 'refund', GIVEN, { state: { orders: 'secret-41' } }));
    expect(JSON.stringify(refusal)).not.toContain('secret-41');
    expect(refusal?.message).toContain('/order must be what `state.orders` gives');
  });
});

describe('a limit', () => {
  it.each([
    ['perRun', { calls: 2 }],
    ['perNode', { callsInNode: 2 }],
    ['perSession', { callsInSession: 2 }],
  ])('%s counts the calls that were let through, and three means three', (limit, counted) => {
    const contract = contractOf({ ship: { limits: { [limit]: 3 } } });
    const after = (more: number) => {
      const [[name, count]] = Object.entries(counted) as [[string, number]];
      return verdictOf(judge(contract, 'ship', {}, { tools: { ship: historyOf({ [name]: count + more }) } }));
    };
    expect([after(0), after(1), after(2)]).toEqual([{ ready: {} }, { limitReached: [] }, { limitReached: [] }]);
  });

  it('of a session counts the run where there is no session', () => {
    const contract = contractOf({ ship: { limits: { perSession: 1 } } });
    expect(verdictOf(judge(contract, 'ship', {}, { tools: { ship: historyOf({ calls: 1 }) } }))).toEqual({
      limitReached: [],
    });
  });

  it('of failures in a row holds where it is set', () => {
    const bounded = contractOf({ ship: { limits: { failuresInARow: 3 } } });
    const after = (contract: CompiledContract, failedInARow: number) =>
      judge(contract, 'ship', {}, { tools: { ship: historyOf({ failedInARow }) } });
    expect(verdictOf(after(contractOf({ ship: {} }), 3))).toEqual({ ready: {} });
    expect(verdictOf(after(bounded, 2))).toEqual({ ready: {} });
    expect(refusalOf(after(bounded, 3))).toMatchObject({ code: 'historyOfFailures', allowed: [] });
  });
});

describe('a rule', () => {
  const rules: JsonObject[] = [
    { tools: ['refund'], assert: 'args.amount <= state.most', message: 'No more than the order' },
    { assert: "tool != 'ship' || state.paid", message: 'Nothing is sent unpaid' },
  ];
  const contract = contractOf({ refund: { input_schema: ORDER }, ship: {} }, { rules });

  it('holds for the tools it names, or for all', () => {
    const state = { most: 50, paid: false };
    expect(verdictOf(judge(contract, 'refund', GIVEN, { state }))).toEqual({ ready: GIVEN });
    expect(verdictOf(judge(contract, 'refund', { ...GIVEN, amount: 51 }, { state }))).toEqual({ ruleBroken: [] });
    expect(refusalOf(judge(contract, 'ship', {}, { state }))).toMatchObject({
      code: 'ruleBroken',
      message: expect.stringContaining('Nothing is sent unpaid'),
      retryable: true,
    });
  });

  it('that cannot be evaluated refuses', () => {
    const refusal = refusalOf(judge(contract, 'refund', GIVEN, { state: { paid: true } }));
    expect(refusal).toMatchObject({ code: 'ruleBroken', message: expect.stringContaining('cannot be evaluated') });
  });

  it('reads what became of calls, of those too that were never made', () => {
    const once = contractOf(
      { a: {}, b: {} },
      { rules: [{ tools: ['b'], assert: 'tools.a.succeeded > 0', message: 'a first' }] },
    );
    expect(verdictOf(judge(once, 'b', {}))).toEqual({ ruleBroken: [] });
    expect(verdictOf(judge(once, 'b', {}, { tools: { a: historyOf({ succeeded: 1 }) } }))).toEqual({ ready: {} });
  });
});

describe('an idempotency key', () => {
  const contract = refund({ idempotencyKey: "'refund-' + args.order" });

  it('is made of the arguments as the tool gets them', () => {
    expect(judge(contract, 'refund', GIVEN)).toMatchObject({ idempotencyKey: 'refund-R-17' });
  });

  it('that cannot be made, or is empty, refuses the call', () => {
    const other = refund({ idempotencyKey: 'state.key' });
    expect(verdictOf(judge(other, 'refund', GIVEN, { state: {} }))).toEqual({ ruleBroken: [] });
    expect(verdictOf(judge(other, 'refund', GIVEN, { state: { key: '' } }))).toEqual({ ruleBroken: [] });
  });
});

describe('a budget', () => {
  const contract = refund({ cost: { money: '0.10 USD', tokens: 100 } });

  it.each([
    ['has it', { money: { amount: '0.1', currency: 'USD' }, tokens: 100 }, true],
    ['has no bound', {}, true],
    ['has a cent less', { money: { amount: '0.09', currency: 'USD' } }, false],
    ['is overspent', { money: { amount: '-0.01', currency: 'USD' } }, false],
    ['has fewer tokens', { tokens: 99 }, false],
    ['has no call left', { toolCalls: 0 }, false],
    ['is in another currency', { money: { amount: '100', currency: 'TWD' } }, false],
    ['is no amount', { money: { amount: 'much', currency: 'USD' } }, false],
  ])('that %s', (_, left, fits) => {
    const outcome = verdictOf(judge(contract, 'refund', GIVEN, {}, { left: [{ account: 'run', left }] }));
    expect(outcome).toEqual(fits ? { ready: GIVEN } : { overBudget: [] });
  });

  const stageOf = (judgement: Judgement) => judgement.stages.find(({ stage }) => stage === 'budget');
  const short = { account: 'agent:desk', left: { tokens: 99, toolCalls: 3 } };
  const asked = { toolCalls: 1, tokens: 100, money: { amount: '0.10', currency: 'USD' } };

  it('says what is asked of it, what is left of each bound that counts for the call, and which is passed', () => {
    const left = [
      { account: 'run', left: { modelCalls: 1, toolCalls: 9 } },
      { account: 'x', left: { modelCalls: 0 } },
    ];
    const judgement = judge(contract, 'refund', GIVEN, {}, { left: [...left, short] });
    expect(stageOf(judgement)).toEqual({
      stage: 'budget',
      outcome: 'refused',
      code: 'overBudget',
      reason: '`refund` is not called: it costs 100 tokens, and 99 are left of agent:desk.',
      asked,
      left: [{ account: 'run', left: { toolCalls: 9 } }, short],
    });
  });

  it('that says so lets a person be asked, but for where another bound refuses in any case', () => {
    const asking = { ...short, asks: true as const };
    const judgement = judge(contract, 'refund', GIVEN, {}, { left: [asking] });
    expect(judgement).toMatchObject({ verdict: 'ready', asksBudget: true });
    expect(stageOf(judgement)).toMatchObject({ outcome: 'asks', code: 'overBudget', left: [asking] });
    const closed = { account: 'run', left: { toolCalls: 0 } };
    const refused = judge(contract, 'refund', GIVEN, {}, { left: [asking, closed] });
    expect(refused).toMatchObject({ verdict: 'refused', refusal: { message: expect.stringContaining('of run') } });
  });

  it('of the calls of the tool itself is its limit', () => {
    const left = [{ account: 'session:ses_1:tool:refund', left: { toolCalls: 0 } }];
    expect(verdictOf(judge(contract, 'refund', GIVEN, {}, { left }))).toEqual({ limitReached: [] });
  });
});

describe('an approval', () => {
  it.each([
    ['is asked for every call', true, {}, true],
    ['is asked for when its condition holds', 'args.amount > 10', {}, true],
    ['is not asked for otherwise', 'args.amount > 100', {}, false],
    ['is asked for when the condition cannot be evaluated', 'args.amount > state.limit', {}, true],
    [
      'is not asked for when the condition decides without what is missing',
      'state.a > 1 && args.amount > 100',
      {},
      false,
    ],
  ])('%s', (_, approval, state, asks) => {
    const judgement = judge(refund({ approval }), 'refund', GIVEN, { state });
    expect(verdictOf(judgement)).toEqual({ [asks ? 'approval' : 'ready']: GIVEN });
    expect(stagesOf(judgement).at(-1)).toBe(asks ? 'approval asks' : 'approval passed');
  });

  it('is never asked for a call that is refused', () => {
    expect(verdictOf(judge(refund({ approval: true }), 'refund', {}))).toEqual({
      argumentsInvalid: ['/order', '/amount'],
    });
  });
});

describe('sensitive arguments', () => {
  const contract = contractOf(
    {
      pay: {
        input_schema: {
          type: 'object',
          required: ['card', 'amount'],
          properties: {
            card: {
              type: 'object',
              required: ['number'],
              properties: { number: { type: 'string', pattern: '^\\d{16}$' } },
            },
            amount: { type: 'number' },
            pin: { type: 'string' },
          },
        },
        sensitive: ['/card/number', 'pin'],
      },
    },
    { rules: [{ assert: '!has(args.pin) || int(args.pin) > 0', message: 'A PIN is a number' }] },
  );
  const NUMBER = '4111111111111111';

  it('reach the tool, and stand in no stage', () => {
    const judgement = judge(contract, 'pay', { card: { number: NUMBER }, amount: '5' });
    expect(verdictOf(judgement)).toEqual({ ready: { card: { number: NUMBER }, amount: 5 } });
    expect(JSON.stringify(judgement.stages)).not.toContain(NUMBER);
    expect(judgement.stages[2]?.in).toEqual({ card: { number: '***' }, amount: '5' });
  });

  it('hide the whole text of the arguments, read or not', () => {
    const contract = contractOf({ pay: { sensitive: ['card'] } });
    const firstIn = (text: string) => judge(contract, 'pay', text).stages[0]!.in;
    expect([firstIn('{"card":"4111"}'), firstIn('{"card":"4111'), firstIn(' ')]).toEqual(['***', '***', ' ']);
  });

  it('stand in no stage either where the object came as text', () => {
    const judgement = judge(contract, 'pay', { card: JSON.stringify({ number: NUMBER }), amount: 5 });
    expect(verdictOf(judgement)).toEqual({ ready: { card: { number: NUMBER }, amount: 5 } });
    expect(judgement.stages[2]).toMatchObject({ in: { card: '***' }, out: { card: { number: '***' } } });
  });

  it('stand in no refusal, of the schema or of an expression that fails at them', () => {
    const long = judge(contract, 'pay', { card: { number: `${NUMBER}9` }, amount: 5 });
    const failing = judge(contract, 'pay', { card: { number: NUMBER }, amount: 5, pin: 'hush-hush' });
    expect([verdictOf(long), verdictOf(failing)]).toEqual([{ argumentsInvalid: ['/card/number'] }, { ruleBroken: [] }]);
    const { call: _one, ...told } = long;
    const { call: _other, ...saidOfPin } = failing;
    expect(JSON.stringify([told, saidOfPin])).not.toMatch(/4111|hush/);
  });

  it('are told apart by the subject', () => {
    const subjectOf = (number: string) => {
      const judgement = judge(contract, 'pay', { card: { number }, amount: 5 });
      return judgement.verdict === 'ready' ? judgement.subject : '';
    };
    expect(subjectOf(NUMBER)).not.toBe(subjectOf('4111111111111112'));
  });
});
