import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../json/value.ts';
import { compileContract } from '../compile-contract.ts';
import { hashOf } from '../normalize.ts';
import { contractOf, RECRUITER, REFUNDS } from '../testing/contracts.ts';
import { contractDocument } from './contract-document.ts';

describe('contractDocument', () => {
  it.each([RECRUITER, REFUNDS])('what is read from it is the same contract', document => {
    const contract = contractOf(document);
    const again = contractOf(contractDocument(contract));
    expect(again).toEqual(contract);
    expect(hashOf(again)).toBe(hashOf(contract));
  });

  it('C20: exported and imported again, a contract judges alike, null included', () => {
    const input = {
      type: 'object',
      required: ['a'],
      properties: { a: { type: ['string', 'null'] }, b: { const: null }, c: { enum: [null, 0], default: null } },
      additionalProperties: false,
    };
    const contract = contractOf({
      agent_name: 'a',
      allowed_tools: [{ name: 't', effect: 'read', input_schema: input }],
    });
    const tools = [contract, contractOf(contractDocument(contract))].map(one => compileContract(one).tools.get('t')!);
    const values: JsonObject[] = [
      { a: null },
      { a: '' },
      {},
      { a: null, b: null },
      { a: null, b: 0 },
      { a: '', c: null },
      { a: '', d: null },
    ];
    const [verdicts, again] = tools.map(({ input: schema }) => values.map(value => schema.validate(value)));
    expect(again).toEqual(verdicts);
    expect(verdicts!.map(({ ok }) => ok)).toEqual([true, true, false, true, false, true, false]);
    expect(verdicts![0]).toEqual({ ok: true, value: { a: null, c: null } });
  });

  it('two writes whose keys are `key` and `value` stay two', () => {
    const writes = [
      { key: 'key', value: '1' },
      { key: 'value', value: '2' },
    ];
    const contract = contractOf({
      agent_name: 'a',
      allowed_tools: [{ name: 't', effect: 'read', input_schema: { type: 'object' }, writes }],
    });
    expect(contract.tools.t!.writes).toEqual({ key: '1', value: '2' });
    expect(contractOf(contractDocument(contract))).toEqual(contract);
  });
});
