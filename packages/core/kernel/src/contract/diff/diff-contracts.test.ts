import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../json/value.ts';
import { contractOf, REFUNDS, withTool } from '../testing/contracts.ts';
import { diffContracts } from './diff-contracts.ts';

function changes(from: JsonObject, to: JsonObject): string[] {
  return diffContracts(contractOf(from), contractOf(to)).map(
    ({ kind, about, message }) => `${kind} ${about}: ${message}`,
  );
}

const changed = (members: Readonly<Record<string, JsonValue | undefined>>): string[] =>
  changes(REFUNDS, withTool(REFUNDS, 'refund', members));

const resultOf = (maxLength: number): JsonObject => ({
  type: 'object',
  properties: { iban: { type: 'string', maxLength } },
});

/** Of two schemas of arguments that let through the same, what is said of marks. */
function markChanges(old: JsonObject, now: JsonObject, more: readonly [JsonObject, JsonObject] = [{}, {}]): string[] {
  const contract = (input_schema: JsonObject, members: JsonObject) => ({
    agent_name: 'a',
    allowed_tools: [{ name: 't', effect: 'read', input_schema, ...members }],
  });
  return changes(contract(old, more[0]), contract(now, more[1])).filter(change => change.includes('masked'));
}

const kindsOf = (from: JsonObject, to: JsonObject): string[] => [
  ...new Set(diffContracts(contractOf(from), contractOf(to)).map(({ kind }) => kind)),
];

describe('diffContracts', () => {
  it('is empty for one contract, however it is written', () => {
    expect(changes(REFUNDS, REFUNDS)).toEqual([]);
    expect(changed({ when: "(tools.find_order.succeeded > 0) && state.step=='refund'", timeout: '60s' })).toEqual([]);
  });

  it('says which tools may be called now, and which no longer', () => {
    const tools = REFUNDS.allowed_tools as readonly JsonValue[];
    const pay = { name: 'pay', input_schema: { type: 'object' }, approval: true };
    expect(changes(REFUNDS, { ...REFUNDS, allowed_tools: [...tools, pay] })).toEqual([
      'widens allowed: `pay` may be called (once), with approval.',
    ]);
    expect(changes({ ...REFUNDS, allowed_tools: [...tools, pay] }, REFUNDS)).toEqual([
      'narrows forbidden: `pay` may no longer be called.',
    ]);
  });

  it.each<[string, Readonly<Record<string, JsonValue | undefined>>, string]>([
    [
      'more of them',
      {
        approval: {
          when: 'args.amount > 100 || args.currency == "USD"',
          assignees: ['role:finance'],
          quorum: 2,
          four_eyes: true,
          deadline: '1d',
        },
      },
      'narrows',
    ],
    [
      'all of them',
      { approval: { assignees: ['role:finance'], quorum: 2, four_eyes: true, deadline: '1d' } },
      'narrows',
    ],
    ['none', { approval: undefined }, 'widens'],
    [
      'other ones',
      {
        approval: { when: 'args.amount > 50', assignees: ['role:finance'], quorum: 2, four_eyes: true, deadline: '1d' },
      },
      'widens',
    ],
    [
      'one instead of two',
      { approval: { when: 'args.amount > 100', assignees: ['role:finance'], four_eyes: true, deadline: '1d' } },
      'widens',
    ],
    ['anybody', { approval: { when: 'args.amount > 100', quorum: 2, four_eyes: true, deadline: '1d' } }, 'widens'],
    [
      'by who started it',
      { approval: { when: 'args.amount > 100', assignees: ['role:finance'], quorum: 2, deadline: '1d' } },
      'widens',
    ],
    [
      'later',
      { approval: { when: 'args.amount > 100', assignees: ['role:finance'], quorum: 2, four_eyes: true } },
      'widens',
    ],
    [
      'earlier',
      {
        approval: {
          when: 'args.amount > 100',
          assignees: ['role:finance'],
          quorum: 2,
          four_eyes: true,
          deadline: '1h',
        },
      },
      'narrows',
    ],
  ])('says what becomes of approvals: %s', (_, members, kind) => {
    expect(changed(members)).toEqual([expect.stringMatching(new RegExp(`^${kind} approval: `))]);
  });

  it('a condition that holds less often narrows, one that cannot be compared widens', () => {
    const when = "state.step == 'refund' && tools.find_order.succeeded > 0";
    expect(changed({ when: `${when} && state.sure` })).toEqual([
      `narrows forbidden: \`refund\` may be called only when \`${when} && state.sure\`.`,
    ]);
    expect(changed({ when: "state.step == 'refund'" })).toEqual([
      `widens allowed: \`refund\` may be called when \`state.step == 'refund'\` (it was: \`${when}\`).`,
    ]);
    expect(changed({ when: `${when} && state.a`.replace('> 0', '> 1') })[0]).toMatch(/^widens .*cannot be shown/);
    expect(changed({ when: undefined })[0]).toMatch(/^widens allowed: `refund` may be called whatever the state is/);
  });

  it('more failures in a row are wider, and no bound on them is the widest', () => {
    const limited = (failures: number) => withTool(REFUNDS, 'refund', { limits: { failures_in_a_row: failures } });
    const kindsOf = (from: JsonObject, to: JsonObject) =>
      changes(from, to).filter(change => change.includes('failures in a row'));
    expect(kindsOf(limited(2), limited(3))).toEqual([
      'widens allowed: `refund` has another limit of failures in a row: at most 3 (was 2).',
    ]);
    expect(kindsOf(limited(2), REFUNDS)[0]).toMatch(/^widens .*no limit/);
    expect(kindsOf(REFUNDS, limited(2))[0]).toMatch(/^narrows /);
  });

  it('a schema is judged place by place', () => {
    const input = (amount: JsonObject, more: JsonObject = {}) => ({
      input_schema: {
        type: 'object',
        required: ['order', 'amount'],
        properties: {
          order: { type: 'string' },
          amount,
          currency: { enum: ['EUR', 'USD'], default: 'EUR' },
          iban: { type: 'string' },
        },
        additionalProperties: false,
        ...more,
      },
    });
    const amount = { type: 'number', exclusiveMinimum: 0, maximum: 500 };
    expect(changed(input({ ...amount, maximum: 900 }))).toEqual([
      'widens allowed: `refund` takes other arguments: `maximum` was 500 and is 900.',
    ]);
    expect(changed(input({ ...amount, maximum: 300 }))).toEqual([
      'narrows forbidden: `refund` takes other arguments: `maximum` was 500 and is 300.',
    ]);
    expect(changed(input({ ...amount, description: 'in euros' }))).toEqual([
      'neutral other: `refund` takes other arguments: described otherwise.',
    ]);
    const [change] = diffContracts(
      contractOf(REFUNDS),
      contractOf(withTool(REFUNDS, 'refund', input({ ...amount, maximum: 900 }))),
    );
    expect(change).toMatchObject({ tool: 'refund', pointer: '/tools/refund/input/properties/amount/maximum' });
  });

  it('rules that go widen, rules that come narrow, and one of more tools keeps one of fewer', () => {
    const rule = (REFUNDS.rules as JsonObject[])[0]!;
    expect(changes(REFUNDS, { ...REFUNDS, rules: [] })).toEqual([
      'widens allowed: The rule `args.amount <= 400` is gone, or cannot be shown to be kept.',
    ]);
    expect(changes({ ...REFUNDS, rules: [] }, REFUNDS)).toEqual([
      'narrows forbidden: A rule must hold: `args.amount <= 400`.',
    ]);
    const { tools: _tools, ...ofAll } = rule;
    expect(changes(REFUNDS, { ...REFUNDS, rules: [ofAll] })).toEqual([
      'narrows forbidden: A rule must hold: `args.amount <= 400`.',
    ]);
    expect(changes(REFUNDS, { ...REFUNDS, rules: [{ ...rule, assert: 'args.amount <= 400 && state.ok' }] })).toEqual([
      'narrows forbidden: A rule must hold: `args.amount <= 400 && state.ok`.',
    ]);
  });

  it('amounts are compared exactly, and another currency cannot be', () => {
    const run = (money: string) => ({ ...REFUNDS, budgets: { run: { tokens: 10_000, money }, on_reached: 'ask' } });
    expect(changes(REFUNDS, run('1.5 EUR'))).toEqual([]);
    expect(changes(REFUNDS, run('1.500000000001 EUR'))[0]).toMatch(/^widens/);
    expect(changes(REFUNDS, run('1.499999999999 EUR'))[0]).toMatch(/^narrows/);
    expect(changes(REFUNDS, run('0.01 USD'))[0]).toMatch(/^widens/);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['an argument masked', { sensitive: ['/iban', '/order'] }, { sensitive: ['/iban'] }],
    ['a result masked', { sensitive_output: ['/iban', '/order'] }, { sensitive_output: ['/iban'] }],
    ['a stricter result', { output_schema: resultOf(5) }, { output_schema: resultOf(6) }],
    ['a result that is judged', { output_schema: resultOf(5) }, { output_schema: undefined as never }],
    ['fewer tries', { retry: { attempts: 2 } }, { retry: { attempts: 3 } }],
    ['one try', { retry: undefined as never }, { retry: { attempts: 2 } }],
    ['less time', { timeout: '10s' }, { timeout: '1h' }],
    ['less time than the default', { timeout: '10s' }, { timeout: undefined as never }],
    ['a dearer call', { cost: { money: '2 EUR' } }, { cost: { money: '1.99 EUR' } }],
    ['a call with a cost', { cost: { tokens: 5 } }, { cost: undefined as never }],
    ['calls of a node counted', { limits: { per_node: 1 } }, { limits: undefined as never }],
    ['calls of a session counted', { limits: { per_session: 1 } }, { limits: { per_session: 2 } }],
    ['one after the other', { parallel: false }, { parallel: true }],
    ['no write', { writes: undefined as never }, { writes: { key: 'done', value: 'args.amount' } }],
    ['an earlier deadline', { approval: { deadline: '1h' } }, { approval: { deadline: 'P1D' } }],
  ])('of a tool the one narrows, the other widens: %s', (_, strict, loose) => {
    const [one, other] = [withTool(REFUNDS, 'refund', strict), withTool(REFUNDS, 'refund', loose)];
    expect(kindsOf(one, other)).toEqual(['widens']);
    expect(kindsOf(other, one)).toEqual(['narrows']);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['a stricter reply', { output_schema: { type: 'object', required: ['a'] } }, { output_schema: { type: 'object' } }],
    ['a rule of the reply', { output_rules: [{ assert: 'output.reply != ""', message: 'No.' }] }, { output_rules: [] }],
    [
      'a tighter rule of the reply',
      { output_rules: [{ assert: 'output.reply != "" && state.open', message: 'No.' }] },
      { output_rules: [{ assert: 'output.reply != ""', message: 'No.' }] },
    ],
    ['a budget of a session', { budgets: { session: { tokens: 5 } } }, { budgets: { session: { tokens: 6 } } }],
    [
      'a budget of a day',
      { budgets: { tenant_per_day: { tokens: 5 } } },
      { budgets: { tenant_per_day: { tokens: 6 } } },
    ],
    [
      'a budget of calls',
      { budgets: { run: { tool_calls: 5 } } },
      { budgets: { run: { model_calls: 6, tool_calls: 6 } } },
    ],
    ['a choice that is asked about', { confidence: 0.9 }, { confidence: 0.8 }],
  ])('of an agent the one narrows, the other widens: %s', (_, strict, loose) => {
    const free = { ...REFUNDS, budgets: {} };
    const [one, other] = [
      { ...free, ...strict },
      { ...free, ...loose },
    ];
    expect(kindsOf(one, other)).toContain('widens');
    expect(kindsOf(other, one)).toContain('narrows');
  });

  it('a cost in another currency cannot be compared with what a budget allows', () => {
    const cost = (money: string) => withTool(REFUNDS, 'refund', { cost: { money } });
    expect(kindsOf(cost('1 EUR'), cost('100 USD'))).toEqual(['widens']);
    expect(kindsOf(cost('100 USD'), cost('1 EUR'))).toEqual(['widens']);
  });

  it('numbers that are beyond all others are told apart', () => {
    const approval = (bound: string) => withTool(REFUNDS, 'refund', { approval: `args.amount < ${bound}` });
    expect(changes(approval('1e999'), approval('1e999'))).toEqual([]);
    expect(changes(approval('1e999'), approval('-1e999'))).toEqual([
      expect.stringMatching(/^widens approval: .*cannot be shown/),
    ]);
  });

  it('names that every object knows are names like others', () => {
    const named = { type: 'object', properties: { toString: { type: 'string' } } };
    expect(changed({ writes: { key: 'valueOf', value: 'args.amount' } })).toEqual([
      'widens allowed: `refund` writes `args.amount` to the state key `valueOf`.',
    ]);
    const tool = (bind?: JsonObject) => ({
      ...REFUNDS,
      allowed_tools: [{ name: 'look', input_schema: named, ...(bind === undefined ? {} : { bind }) }],
      rules: [],
    });
    expect(changes(tool(), tool({ toString: 'state.order' }))).toEqual([
      'narrows forbidden: `look` has `/toString` bound to `state.order`.',
    ]);
  });

  it('approvals that nobody is named for may be given by anybody', () => {
    const approval = (assignees: string[]) => ({
      approval: { when: 'args.amount > 100', assignees, quorum: 2, four_eyes: true, deadline: '1d' },
    });
    expect(changed(approval([]))).toEqual(['widens approval: `refund` may be approved by anybody entitled.']);
    expect(changed(approval(['role:finance', 'user:finn']))).toEqual([
      'widens approval: `refund` may be approved by user:finn as well.',
    ]);
    expect(changes(withTool(REFUNDS, 'refund', approval([])), REFUNDS)).toEqual([
      'narrows approval: `refund` may be approved by role:finance alone.',
    ]);
    expect(changes(withTool(REFUNDS, 'refund', approval(['role:finance', 'user:finn'])), REFUNDS)).toEqual([
      'narrows approval: `refund` may no longer be approved by user:finn.',
    ]);
  });

  it('choices that are not sure are asked of others, of fewer, or of anybody', () => {
    const unsure = (assignees?: string[]) => ({
      ...REFUNDS,
      confidence: { below: 0.5, ...(assignees === undefined ? {} : { assignees }) },
    });
    const [nobody, one, two] = [unsure(), unsure(['role:finance']), unsure(['role:finance', 'user:finn'])];
    expect(changes(one, nobody)).toEqual(['widens allowed: Choices may be answered by anybody entitled.']);
    expect(changes(one, unsure([]))).toEqual(['widens allowed: Choices may be answered by anybody entitled.']);
    expect(changes(nobody, one)).toEqual(['narrows forbidden: Choices may be answered by role:finance alone.']);
    expect(changes(one, two)).toEqual(['widens allowed: Choices may be answered by user:finn as well.']);
    expect(changes(two, one)).toEqual(['narrows forbidden: Choices may no longer be answered by user:finn.']);
  });

  it('at a budget only to stop is stricter than anything else, and where none was nothing was reached', () => {
    const at = (on_reached: string, budget: JsonObject = { run: { tokens: 10 } }) => ({
      ...REFUNDS,
      budgets: { ...budget, on_reached },
    });
    for (const [from, to, kind] of [
      ['stop', 'ask', 'widens'],
      ['stop', 'degrade', 'widens'],
      ['ask', 'degrade', 'widens'],
      ['degrade', 'ask', 'widens'],
      ['ask', 'stop', 'narrows'],
      ['degrade', 'stop', 'narrows'],
    ] as const)
      expect(changes(at(from), at(to))).toEqual([
        expect.stringMatching(`^${kind} .* was \`${from}\` and is \`${to}\``),
      ]);
    const { budgets: _none, ...free } = REFUNDS;
    expect(changes(free, at('ask'))).toEqual(['narrows forbidden: The budget of a run, tokens: at most 10.']);
    expect(changes(at('stop', { run: {} }), at('degrade', { run: {} }))).toEqual([]);
  });

  it('a compensation that is added is a call that nobody is asked about', () => {
    const find = (compensate?: JsonObject) => withTool(REFUNDS, 'find_order', { effect: 'repeat', compensate });
    const undo = { tool: 'refund', args: { order: 'args.order', amount: 'output.paid', currency: "'EUR'" } };
    expect(changes(find(), find(undo))).toEqual(['widens allowed: `find_order` is compensated by `refund`.']);
  });

  it('a key of its own lets a call in doubt be done again, where it is to be done once', () => {
    const keyed = (effect: string, key?: string) => withTool(REFUNDS, 'refund', { effect, idempotency_key: key });
    expect(changes(keyed('once'), keyed('once', 'args.order'))).toEqual([
      'widens allowed: `refund` has an idempotency key, `args.order`.',
    ]);
    expect(changes(keyed('repeat'), keyed('repeat', 'args.order'))).toEqual([
      'neutral other: `refund` has an idempotency key, `args.order`.',
    ]);
  });

  it('prompts and words are neutral', () => {
    expect(changes(REFUNDS, { ...REFUNDS, dynamic_prompts: [] })).toEqual([
      'neutral other: A prompt is no longer added when `state.angry`.',
    ]);
    expect(changed({ description: 'Pays back' })).toEqual(['neutral other: `refund` is described otherwise.']);
  });
});

describe('marks of a schema', () => {
  const card = (more: JsonObject): JsonObject => ({
    type: 'object',
    properties: { card: { type: 'string', ...more } },
  });
  const MARKED = card({ sensitive: true });

  it('that go are a widening, wherever they stand', () => {
    const gone = ['widens allowed: `t` no longer has the argument `/card` masked.'];
    expect(markChanges(MARKED, card({}))).toEqual(gone);
    const behind = { type: 'object', properties: { card: { $ref: '#/$defs/card' } } };
    const defs = (sensitive: boolean) => ({ ...behind, $defs: { card: { type: 'string', sensitive } } });
    expect(markChanges(defs(true), defs(false))).toEqual(gone);
    expect(markChanges({ anyOf: [MARKED, card({ minLength: 5 })], type: 'object' }, { ...card({}) })).toEqual(gone);
    const others = (sensitive: boolean) => ({ type: 'object', additionalProperties: { type: 'string', sensitive } });
    expect(markChanges(others(true), others(false))).toHaveLength(1);
    const list = (sensitive: boolean) => ({ type: 'object', properties: { l: { items: { sensitive } } } });
    expect(markChanges(list(true), list(false))).toHaveLength(1);
  });

  it('are none the less for being written as pointers, or put around more', () => {
    expect(markChanges(MARKED, card({}), [{}, { sensitive: ['card'] }])).toEqual([]);
    expect(markChanges(card({}), MARKED, [{ sensitive: ['card'] }, {}])).toEqual([]);
    const pay = (pay: JsonObject, inner: JsonObject): JsonObject => ({
      type: 'object',
      properties: { pay: { ...card(inner), ...pay } },
    });
    const wider = markChanges(pay({}, { sensitive: true }), pay({ sensitive: true }, {}));
    expect(wider).toEqual(['narrows forbidden: `t` has the argument `/pay` masked.']);
  });

  it('of an argument that is not there any more are missed by nobody', () => {
    const closed = { type: 'object', additionalProperties: false };
    expect(markChanges({ ...MARKED, ...closed }, closed)).toEqual([]);
  });

  it('of the reply of the agent count as well', () => {
    const reply = (more: JsonObject) => ({ agent_name: 'a', allowed_tools: [], output_schema: card(more) });
    expect(changes(reply({ sensitive: true }), reply({}))).toContain(
      'widens allowed: The reply no longer has the part `/card` masked.',
    );
  });
});

describe('an older schema', () => {
  it('is widened where a key no longer needs another one', () => {
    const input = (more: JsonObject) => ({ input_schema: { type: 'object', properties: { a: {}, b: {} }, ...more } });
    const kinds = (one: JsonObject, other: JsonObject) =>
      kindsOf(
        { agent_name: 'a', allowed_tools: [{ name: 't', effect: 'read', ...input(one) }] },
        { agent_name: 'a', allowed_tools: [{ name: 't', effect: 'read', ...input(other) }] },
      );
    for (const of of [['b'], { required: ['b'] }]) {
      expect(kinds({ dependencies: { a: of } }, {})).toEqual(['widens']);
      expect(kinds({}, { dependencies: { a: of } })).toEqual(['narrows']);
    }
    expect(kinds({ dependencies: { a: ['b'] } }, { dependentRequired: { a: ['b'] } })).not.toContain('widens');
  });
});
