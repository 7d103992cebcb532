import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { hashOf } from './normalize.ts';
import { readContract } from './read-contract.ts';
import { contractOf, REFUNDS } from './testing/contracts.ts';

const BASE = contractOf(REFUNDS);

function child(tool: JsonObject | undefined, members: JsonObject = {}): JsonObject {
  const document: JsonObject = { agent_name: 'juniors', extends: 'refunds', ...members };
  if (tool === undefined) return document;
  return { ...document, allowed_tools: ['find_order', 'cancel_refund', { name: 'refund', ...tool }] };
}

function faultsOf(document: JsonValue): string[] {
  return readContract(document, { base: name => (name === 'refunds' ? BASE : undefined) })
    .faults.filter(({ severity }) => severity === 'error')
    .map(({ code, pointer }) => `${code} ${pointer}`);
}

const refundInput = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  input_schema: {
    type: 'object',
    required: ['order', 'amount'],
    properties: {
      order: { type: 'string' },
      amount: { type: 'number', exclusiveMinimum: 0, maximum: 500 },
      currency: { enum: ['EUR', 'USD'], default: 'EUR' },
      iban: { type: 'string' },
      ...properties,
    },
    additionalProperties: false,
    ...more,
  },
});

describe('a contract that extends another', () => {
  it('has what the other has, where it says nothing', () => {
    const { definition } = readContract(child(undefined), { base: () => BASE });
    expect(definition).toEqual({ ...BASE, name: 'juniors', version: '1', extends: 'refunds', description: undefined });
  });

  it('has the tools it names and no others, as the other has them', () => {
    const { definition } = readContract(child(undefined, { allowed_tools: ['find_order'] }), { base: () => BASE });
    expect(definition!.tools).toEqual({ find_order: BASE.tools.find_order });
    expect(definition!.rules).toEqual([]);
  });

  it('has the rules of the tools that it keeps, and no word of the others', () => {
    const rules = [{ tools: ['refund', 'find_order'], assert: 'state.open', message: 'It is closed.' }];
    const base = contractOf({ ...REFUNDS, rules });
    const { definition, faults } = readContract(child(undefined, { allowed_tools: ['find_order'] }), {
      base: () => base,
    });
    expect(faults.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(definition!.rules).toEqual([{ ...rules[0], tools: ['find_order'] }]);
  });

  it('asks about every call where it says so, of whom the other says', () => {
    const { when: _when, ...others } = BASE.tools.refund!.approval!;
    expect(contractOf(child({ approval: true }), BASE).tools.refund!.approval).toEqual(others);
  });

  it('adds to conditions, bonds, rules, approvals and masked places', () => {
    const definition = contractOf(
      child(
        {
          when: 'state.trained',
          bind: { currency: "['EUR']" },
          approval: "args.currency == 'USD'",
          sensitive: ['order'],
          limits: { per_node: 1 },
        },
        { rules: [{ tool: 'refund', assert: 'args.amount <= 50', message: 'At most 50.' }] },
      ),
      BASE,
    );
    expect(definition.tools.refund).toMatchObject({
      when: "(state.trained) && (state.step == 'refund' && tools.find_order.succeeded > 0)",
      bind: { '/order': 'state.order', '/amount': '[state.paid]', '/currency': "['EUR']" },
      approval: { when: "(args.currency == 'USD') || (args.amount > 100)", assignees: ['role:finance'], quorum: 2 },
      sensitive: ['/order', '/iban'],
      limits: { perRun: 3, perSession: 5, perNode: 1 },
      idempotencyKey: "state.order + '/' + args.currency",
    });
    expect(definition.rules).toHaveLength(2);
  });

  it.each<[string, JsonObject]>([
    ['fewer calls', child({ limits: { per_run: 1 } })],
    ['a shorter time', child({ timeout: '10s' })],
    ['an approval of every call', child({ approval: true })],
    ['more approvals', child({ approval: { quorum: 3 } })],
    ['a lower maximum', child(refundInput({ amount: { type: 'number', exclusiveMinimum: 0, maximum: 50 } }))],
    ['an argument less', child(refundInput({ iban: false }))],
    ['a lower budget', child(undefined, { budgets: { run: { money: '0.50 EUR' }, on_reached: 'stop' } })],
    ['a higher confidence', child(undefined, { confidence: 0.9 })],
    ['a dearer call', child({ cost: { money: '0.06 EUR', time: '2s' } })],
  ])('may narrow: %s', (_, document) => {
    expect(faultsOf(document)).toEqual([]);
  });

  it.each<[string, JsonObject, string]>([
    ['a tool more', child(undefined, { allowed_tools: [{ name: 'pay', input_schema: {} }] }), '/allowed_tools/0'],
    ['a looser effect class', child({ effect: 'repeat' }), '/allowed_tools/2/effect'],
    ['more calls', child({ limits: { per_run: 4 } }), '/allowed_tools/2/limits/per_run'],
    ['no approval', child({ approval: false }), '/allowed_tools/2/approval'],
    ['fewer approvals', child({ approval: { quorum: 1 } }), '/allowed_tools/2/approval/quorum'],
    ['other approvers', child({ approval: { assignees: ['role:support'] } }), '/allowed_tools/2/approval/assignees'],
    ['another bond', child({ bind: { amount: '[1, 2]' } }), '/allowed_tools/2/bind/amount'],
    ['normalization', child({ normalize: true }), '/allowed_tools/2/normalize'],
    ['more time', child({ timeout: '2m' }), '/allowed_tools/2/timeout'],
    ['calls side by side', child({ parallel: true }), '/allowed_tools/2/parallel'],
    ['another key', child({ idempotency_key: 'run.id' }), '/allowed_tools/2/idempotency_key'],
    ['a write', child({ writes: { key: 'refunded', value: 'args.amount' } }), '/allowed_tools/2/writes/value'],
    ['a cheaper call', child({ cost: { money: '0.01 EUR' } }), '/allowed_tools/2/cost/money'],
    [
      'a higher maximum',
      child(refundInput({ amount: { type: 'number', exclusiveMinimum: 0, maximum: 501 } })),
      '/allowed_tools/2/input_schema/properties/amount/maximum',
    ],
    [
      'an argument that may be left out',
      child(refundInput({}, { required: ['order'] })),
      '/allowed_tools/2/input_schema/required',
    ],
    [
      'an argument more',
      child(refundInput({ bic: { type: 'string' } })),
      '/allowed_tools/2/input_schema/properties/bic',
    ],
    ['a higher budget', child(undefined, { budgets: { run: { tokens: 10_001 } } }), '/budgets/run/tokens'],
    ['going on at a budget', child(undefined, { budgets: { on_reached: 'degrade' } }), '/budgets/on_reached'],
    ['a lower confidence', child(undefined, { confidence: 0.5 }), '/confidence'],
  ])('may not widen: %s', (_, document, pointer) => {
    expect(faultsOf(document)).toContain(`ContractWidens ${pointer}`);
  });

  it('an approval of all calls cannot be made one of some', () => {
    const base = contractOf({
      agent_name: 'b',
      allowed_tools: [
        {
          name: 't',
          approval: true,
          input_schema: { type: 'object', required: ['n'], properties: { n: { type: 'number' } } },
        },
      ],
    });
    const document = { agent_name: 'c', extends: 'b', allowed_tools: [{ name: 't', approval: 'args.n > 5' }] };
    expect(readContract(document, { base: () => base }).faults).toMatchObject([
      { code: 'ContractWidens', pointer: '/allowed_tools/0/approval' },
    ]);
  });

  it('a fault of its own condition keeps its place in it', () => {
    const { faults } = readContract(child({ when: 'state.ok && args.x' }), { base: () => BASE });
    expect(faults).toMatchObject([{ code: 'ExpressionType', pointer: '/allowed_tools/2/when', offset: 12 }]);
  });

  it('names a contract that is not there', () => {
    expect(faultsOf({ agent_name: 'c', extends: 'nobody', allowed_tools: [] })).toEqual(['UnknownContract /extends']);
  });

  it('is hashed by what it comes to, not by what it extends', () => {
    const { definition } = readContract(child(undefined), { base: () => BASE });
    expect(hashOf(definition!)).toBe(hashOf({ ...BASE, name: 'juniors' }));
  });

  it('keeps what the other masks by its schema, or says so itself', () => {
    const input = (more: JsonObject): JsonObject => ({
      type: 'object',
      properties: { card: { type: 'string', maxLength: 20, ...more } },
      additionalProperties: false,
    });
    const base = contractOf({
      agent_name: 'b',
      allowed_tools: [{ name: 't', effect: 'read', input_schema: input({ sensitive: true }), sensitive: ['card'] }],
    });
    const marked = contractOf({
      agent_name: 'b',
      allowed_tools: [{ name: 't', effect: 'read', input_schema: input({ sensitive: true }) }],
    });
    const faults = (of: typeof base, tool: JsonObject) =>
      readContract(
        { agent_name: 'c', extends: 'b', allowed_tools: [{ name: 't', ...tool }] },
        { base: () => of },
      ).faults.map(({ code, message }) => `${code}: ${message}`);
    expect(faults(marked, { input_schema: input({ maxLength: 10 }) })).toEqual([
      'ContractWidens: A contract may only narrow the one it extends. Here `t` no longer has the argument `/card` masked.',
    ]);
    expect(faults(marked, { input_schema: input({ maxLength: 10, sensitive: true }) })).toEqual([]);
    expect(faults(marked, { input_schema: input({ maxLength: 10 }), sensitive: ['card'] })).toEqual([]);
    expect(faults(base, { input_schema: { type: 'object', additionalProperties: false } })).toEqual([]);
  });
});
