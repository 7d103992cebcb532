import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../json/value.ts';
import { compileContract } from './compile-contract.ts';
import { readContract } from './read-contract.ts';

const RECRUITER: JsonValue = {
  version: '1.0',
  agent_name: 'hr_recruiter',
  allowed_tools: [
    {
      name: 'get_candidate_info',
      description: 'Look up a candidate by id',
      input_schema: {
        type: 'object',
        required: ['candidate_id'],
        properties: { candidate_id: { type: 'string', pattern: '^cand_[a-z0-9]{8}$' } },
      },
      output_schema: {
        type: 'object',
        properties: { name: { type: 'string' }, years_experience: { type: 'number', minimum: 0 } },
      },
    },
  ],
  dynamic_prompts: [{ condition: 'state.user_complaints >= 3', template: 'Use a formal, careful tone.' }],
};

describe('readContract', () => {
  it('the plain form loads as it stands', () => {
    const { definition, faults } = readContract(RECRUITER);
    expect(faults).toEqual([]);
    expect(definition).toMatchObject({ name: 'hr_recruiter', version: '1.0' });
    const compiled = compileContract(definition!);
    expect([...compiled.tools.keys()]).toEqual(['get_candidate_info']);
    expect(compiled.prompts[0]!.condition.evaluate({ state: { user_complaints: 3 } })).toEqual({
      ok: true,
      value: true,
    });
  });
});
