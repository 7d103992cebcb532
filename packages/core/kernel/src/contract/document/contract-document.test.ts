import { describe, expect, it } from 'vitest';
import { judge, verdictOf } from '../../gate/testing/contract.ts';
import type { JsonObject } from '../../json/value.ts';
import { compileContract } from '../compile-contract.ts';
import type { ContractDefinition } from '../definition.ts';
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
    const input: JsonObject = {
      type: 'object',
      properties: {
        priority: { enum: ['low', 'high', null] },
        level: { type: 'integer', enum: [1, 2, 3] },
        code: { enum: ['US', 'us'] },
        colors: { type: 'array', items: { enum: ['red', 'green'] } },
        nothing: { const: null },
      },
      additionalProperties: false,
    };
    const contract = contractOf({
      agent_name: 'a',
      allowed_tools: [{ name: 't', effect: 'read', input_schema: input }],
    });
    const calls: JsonObject[] = [
      ...[null, 'high', 'HIGH', ' high\n', 'hi'].map(priority => ({ priority })),
      ...[2, '2', 4].map(level => ({ level })),
      ...['US', 'Us'].map(code => ({ code })),
      ...[['red', 'GREEN'], ['blue']].map(colors => ({ colors })),
      ...[null, 0].map(nothing => ({ nothing })),
    ];
    const verdicts = (of: ContractDefinition) =>
      calls.map(args => verdictOf(judge(compileContract(of), 't', JSON.stringify(args))));
    const again = contractOf(contractDocument(contract));
    expect(verdicts(again)).toEqual(verdicts(contract));
    expect(verdicts(contract).slice(0, 5)).toEqual([
      { ready: { priority: null } },
      { ready: { priority: 'high' } },
      { ready: { priority: 'high' } },
      { ready: { priority: 'high' } },
      { argumentsInvalid: ['/priority'] },
    ]);
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
