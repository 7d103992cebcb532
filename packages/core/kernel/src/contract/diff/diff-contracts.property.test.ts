import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { factsOf, historyOf, judge } from '../../gate/testing/contract.ts';
import type { JsonObject, JsonValue } from '../../json/value.ts';
import { compileContract } from '../compile-contract.ts';
import type { CompiledContract } from '../compiled-contract.ts';
import { readContract } from '../read-contract.ts';
import { diffContracts } from './diff-contracts.ts';

const AMOUNTS: readonly JsonObject[] = [
  { type: 'integer' },
  { type: 'integer', maximum: 5 },
  { type: 'integer', maximum: 3, minimum: 1 },
  { enum: [1, 2, 9] },
  { type: ['integer', 'string'] },
  { type: 'number', multipleOf: 0.5, default: 1 },
];
const WHO: readonly JsonObject[] = [
  { type: 'string' },
  { type: 'string', pattern: '^a' },
  { enum: ['a', 'ab'] },
  { type: ['string', 'null'], maxLength: 1 },
];
const FLAGS = ['state.p', 'state.q', 'state.n > 1'];

const clauses = (operator: string) =>
  fc.uniqueArray(fc.constantFrom(...FLAGS), { minLength: 1, maxLength: 3 }).map(some => some.join(` ${operator} `));
const maybe = <Value>(of: fc.Arbitrary<Value>) => fc.option(of, { nil: undefined });

const input: fc.Arbitrary<JsonObject> = fc
  .record({
    amount: fc.constantFrom(...AMOUNTS),
    who: fc.constantFrom(...WHO),
    required: fc.subarray(['amount', 'who']),
    isClosed: fc.boolean(),
  })
  .map(({ amount, who, required, isClosed }) => ({
    type: 'object',
    properties: { amount, who },
    required,
    ...(isClosed ? { additionalProperties: false } : {}),
  }));

const tool = fc.record({
  input_schema: input,
  when: maybe(clauses('&&')),
  approval: fc.oneof(fc.constant(undefined), fc.constant(true), clauses('||')),
  bind: fc.constantFrom(undefined, { who: 'state.who' }, { who: "['a', 'b']" }),
  normalize: fc.boolean(),
  limits: maybe(fc.record({ per_run: fc.integer({ min: 0, max: 3 }) })),
});

const rules = fc.subarray([...FLAGS, `${FLAGS[0]} || ${FLAGS[1]}`], { maxLength: 2 });

function contractOf(members: object, asserts: readonly string[]): CompiledContract {
  const document = {
    agent_name: 'a',
    allowed_tools: [{ name: 't', effect: 'read', ...members }],
    rules: asserts.map(assert => ({ assert, message: 'No.' })),
  };
  const { definition, faults } = readContract(JSON.parse(JSON.stringify(document)) as JsonValue);
  expect(faults.filter(({ severity }) => severity === 'error')).toEqual([]);
  return compileContract(definition!);
}

const MEMBERS = ['input_schema', 'when', 'approval', 'bind', 'normalize', 'limits'] as const;

/** The second contract is the first with one or two members taken from another, as one is changed by hand. */
const pair = fc
  .record({
    old: tool,
    other: tool,
    changed: fc.subarray([...MEMBERS], { maxLength: 2 }),
    before: fc.subarray(FLAGS, { maxLength: 1 }),
    after: rules,
    keepsRules: fc.boolean(),
  })
  .map(({ old, other, changed, before, after, keepsRules }) => ({
    old: contractOf(old, before),
    now: contractOf(
      { ...old, ...Object.fromEntries(changed.map(key => [key, other[key]])) },
      keepsRules ? [...before, ...after] : after,
    ),
  }));

const args = fc.record(
  {
    amount: fc.constantFrom<JsonValue[]>(1, 2, 2, 4, 9, 2.5, '2', 'x', null),
    who: fc.constantFrom<JsonValue[]>('a', 'a', 'ab', 'b', ' a', 'A', null),
    other: fc.constant(true),
  },
  { requiredKeys: ['who'] },
);
const often = fc.constantFrom(true, true, true, false);
const call = fc.record({
  args,
  state: fc.record(
    { p: often, q: often, n: fc.constantFrom(2, 2, 1), who: fc.constantFrom('a', 'a', 'b') },
    { requiredKeys: ['who', 'p', 'n'] },
  ),
  calls: fc.constantFrom(0, 0, 1, 3),
});

describe('diffContracts', () => {
  it('where nothing is wider, what the newer lets through the older does, with no less approval', {
    timeout: 120_000,
  }, () => {
    let letThrough = 0;
    fc.assert(
      fc.property(pair, fc.array(call, { minLength: 12, maxLength: 12 }), ({ old, now }, calls) => {
        if (diffContracts(old.definition, now.definition).some(({ kind }) => kind === 'widens')) return;
        for (const one of calls) {
          const facts = factsOf({ state: one.state, tools: { t: historyOf({ calls: one.calls }) } });
          const after = judge(now, 't', one.args as JsonObject, facts);
          if (after.verdict === 'refused') continue;
          if (old.hash !== now.hash) letThrough++;
          const before = judge(old, 't', after.args, facts);
          const allowed = after.verdict === 'ready' ? ['ready'] : ['ready', 'approval'];
          expect(allowed, JSON.stringify([one, before])).toContain(before.verdict);
        }
      }),
      { numRuns: 800 },
    );
    expect(letThrough).toBeGreaterThan(100);
  });
});
