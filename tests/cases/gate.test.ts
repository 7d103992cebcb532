import {
  type CompiledContract,
  compileContract,
  type JsonObject,
  type JsonValue,
  judgeCall,
  readContract,
} from '@signalbox/kernel';
import { describe, expect, it } from 'vitest';

/** A contract with one tool `t`, as a file has it. */
function contractOf(input: JsonObject): CompiledContract {
  const { definition } = readContract({ agent_name: 'desk', allowed_tools: [{ name: 't', input_schema: input }] });
  return compileContract(definition!);
}

function object(properties: Record<string, JsonObject>, required: string[] = []): JsonObject {
  return { type: 'object', required, properties };
}

/** What the tool gets, or where its arguments are wrong. */
function outcome(contract: CompiledContract, args: JsonValue): JsonValue {
  const judgement = judged(contract, args);
  if (judgement.verdict !== 'refused') return judgement.args;
  expect(judgement.refusal.code).toBe('argumentsInvalid');
  return judgement.refusal.issues!.map(issue => issue.pointer);
}

function judged(contract: CompiledContract, args: JsonValue) {
  const call = { id: 'c1', tool: 't', arguments: JSON.stringify(args) };
  return judgeCall(contract, call, { state: {}, now: 0, tools: {} });
}

describe('at the tool gate', () => {
  it('C15 the text "false" is false', () => {
    const contract = contractOf(object({ dry_run: { type: 'boolean' } }, ['dry_run']));
    const of = (dry_run: JsonValue) => outcome(contract, { dry_run });
    for (const no of ['false', 'FALSE', ' false ', '0', 'no', '否', '假']) expect(of(no)).toEqual({ dry_run: false });
    for (const yes of ['true', '1', 'yes', '是', '真']) expect(of(yes)).toEqual({ dry_run: true });
    for (const bad of ['maybe', '', null, 2, 1, 0]) expect([bad, of(bad)]).toEqual([bad, ['/dry_run']]);
    const judgement = judged(contract, { dry_run: ' false ' });
    expect(judgement.call.arguments).toBe('{"dry_run":" false "}');
    expect(judgement.stages.find(stage => stage.stage === 'normalize')).toEqual({
      stage: 'normalize',
      outcome: 'changed',
      in: { dry_run: ' false ' },
      out: { dry_run: false },
      changes: [{ pointer: '/dry_run', rule: 'booleanFromText' }],
    });
  });

  it('C16 string-encoded values are decoded by the declared type, never by their looks', () => {
    const contract = contractOf(
      object({
        code: { type: 'string' },
        qty: { type: 'integer' },
        ratio: { type: 'number' },
        tags: { type: 'array', items: { type: 'string' } },
        meta: { type: 'object' },
        free: { type: 'string' },
      }),
    );
    const given = { code: '0047', qty: '12', ratio: '0.5', tags: '["a","b"]', meta: '{"k":1}', free: '[1,2]' };
    const got = { code: '0047', qty: 12, ratio: 0.5, tags: ['a', 'b'], meta: { k: 1 }, free: '[1,2]' };
    const judgement = judged(contract, given);
    expect(judgement).toMatchObject({ verdict: 'ready', args: got });
    expect(judgement.stages.find(stage => stage.stage === 'normalize')).toMatchObject({ in: given, out: got });
    for (const qty of ['12.5', '12abc', '']) expect([qty, outcome(contract, { qty })]).toEqual([qty, ['/qty']]);
    expect(outcome(contract, { code: 47 })).toEqual(['/code']);
  });

  it('C17 4.35 is a multiple of 0.01', () => {
    const contract = contractOf(object({ price: { type: 'number', multipleOf: 0.01 } }));
    for (const price of [4.35, 16.08, 0.57, 2.3, 1.17, 0, 100000.01]) {
      expect(outcome(contract, { price })).toEqual({ price });
      expect(outcome(contract, { price: String(price) })).toEqual({ price });
    }
    for (const price of [4.351, 16.085]) expect(outcome(contract, { price })).toEqual(['/price']);
  });

  it('C18 impossible dates are refused, not rolled over', () => {
    const contract = contractOf(
      object({ day: { type: 'string', format: 'date' }, at: { type: 'string', format: 'date-time' } }),
    );
    for (const day of ['2024-02-29', '2000-02-29', '2026-12-31']) expect(outcome(contract, { day })).toEqual({ day });
    const impossible = [
      '2026-02-30',
      '2025-02-29',
      '2100-02-29',
      '2026-04-31',
      '2026-13-01',
      '2026-00-10',
      '2026-06-99',
    ];
    for (const day of [...impossible, '2026/2/30', '2026年2月30日', 'February 30, 2026', '30/02/2026'])
      expect([day, outcome(contract, { day })]).toEqual([day, ['/day']]);
    expect(outcome(contract, { at: '2026-03-01T23:59:59+08:00' })).toEqual({ at: '2026-03-01T23:59:59+08:00' });
    for (const at of ['2026-13-13T17:45:07Z', '2026-03-01T25:00:00Z', '2026-03-01T10:00:00'])
      expect([at, outcome(contract, { at })]).toEqual([at, ['/at']]);
  });

  it('C19 a misspelled argument is an error, and allowed extras survive', () => {
    const find = contractOf({
      ...object({ query: { type: 'string' }, min_total: { type: 'number' } }, ['query']),
      additionalProperties: false,
    });
    const judgement = judged(find, { query: 'x', mintotal: 500 });
    expect(judgement).toMatchObject({ verdict: 'refused', refusal: { issues: [{ pointer: '/mintotal' }] } });
    expect(judgement.verdict === 'refused' && judgement.refusal.message).toContain('did you mean `min_total`?');
    const facts = contractOf({ type: 'object', additionalProperties: { type: 'integer' } });
    expect(outcome(facts, { a: 1, 乙: 2 })).toEqual({ a: 1, 乙: 2 });
    expect(outcome(facts, { a: 'one' })).toEqual(['/a']);
    const open = contractOf(object({ a: { type: 'string' } }));
    expect(outcome(open, { a: 'x', extra: [1] })).toEqual({ a: 'x', extra: [1] });
  });

  it('C20 enumerations keep null, keep their type and match without guessing', () => {
    const first = contractOf(
      object({
        priority: { enum: ['low', 'high', null] },
        level: { enum: [1, 2, 3] },
        code: { enum: ['US', 'us'] },
        colors: { type: 'array', items: { enum: ['red', 'green'] } },
      }),
    );
    const exported = JSON.parse(JSON.stringify(first.definition));
    const again = compileContract(exported);
    expect(again.hash).toBe(first.hash);
    for (const contract of [first, again]) {
      for (const priority of [null, 'high']) expect(outcome(contract, { priority })).toEqual({ priority });
      for (const priority of ['HIGH', ' high\n']) expect(outcome(contract, { priority })).toEqual({ priority: 'high' });
      expect(outcome(contract, { priority: 'hi' })).toEqual(['/priority']);
      expect([2, '2', 4].map(level => outcome(contract, { level }))).toEqual([{ level: 2 }, { level: 2 }, ['/level']]);
      expect(outcome(contract, { code: 'US' })).toEqual({ code: 'US' });
      expect(outcome(contract, { code: 'Us' })).toEqual(['/code']);
      expect(outcome(contract, { colors: ['red', 'GREEN'] })).toEqual({ colors: ['red', 'green'] });
      expect(outcome(contract, { colors: ['blue'] })).toEqual(['/colors/0']);
    }
  });

  it('C21 text length is counted in code points, not UTF-16 units', () => {
    const contract = contractOf(
      object({ tag: { type: 'string', minLength: 1, maxLength: 3 }, pin: { type: 'string', minLength: 5 } }),
    );
    for (const tag of ['abc', '審批單', '😀😀😀']) expect(outcome(contract, { tag })).toEqual({ tag });
    for (const tag of ['😀😀😀😀', '']) expect(outcome(contract, { tag })).toEqual(['/tag']);
    expect(outcome(contract, { pin: '😀😀😀' })).toEqual(['/pin']);
    expect(outcome(contract, { pin: '12345' })).toEqual({ pin: '12345' });
  });
});
