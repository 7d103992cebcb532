import { compileJsonSchema, contractHash, contractSchema, type JsonValue } from '@signalbox/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { exportContract } from './export-contract.ts';
import { loadContract } from './load-contract.ts';

/** The plain form, and beneath it what can be added. */
const CONTRACT = `version: "1.0"
agent_name: hr_recruiter
allowed_tools:
  - name: get_candidate_info
    description: 查找候选人
    effect: read
    input_schema: { type: object, required: [candidate_id], properties: { candidate_id: { type: string, pattern: "^cand_[a-z0-9]{8}$" } } }
    output_schema: { type: object, properties: { name: { type: string }, years_experience: { type: number, minimum: 0 } } }
  - name: send_offer
    input_schema:
      type: object
      required: [candidate_id, salary]
      properties: { candidate_id: { type: string }, salary: { type: number, maximum: 90000 }, note: { type: [string, "null"], default: null } }
    when: state.task_progress.step == 'offer_negotiation'
    bind: { candidate_id: state.mentioned }
    approval: { assignees: [role:hr], deadline: 2d }
    idempotency_key: "'offer/' + args.candidate_id"
    writes: { key: offered, value: args.salary }
    cost: { money: 0.05 USD, time: 2s }
dynamic_prompts:
  - condition: state.user_complaints >= 3
    template: Use a formal, careful tone.
budgets: { run: { tokens: 50000 }, on_reached: ask }
`;

function places(text: string, file?: string): string[] {
  return loadContract(text, file === undefined ? {} : { file }).faults.map(
    ({ code, line, column }) => `${code} ${line}:${column}`,
  );
}

describe('loadContract', () => {
  it('reads YAML, and JSON alike', () => {
    const { definition, faults } = loadContract(CONTRACT);
    expect(faults).toEqual([]);
    const json = JSON.stringify(parse(CONTRACT), null, 2);
    expect(loadContract(json, { file: 'contract.json' })).toEqual({ definition, faults: [] });
  });

  it('has a fault of an expression at its place in the line', () => {
    const text = CONTRACT.replace('args.salary }', 'args.salery }');
    expect(places(text)).toEqual(['ExpressionType 18:41']);
    expect(text.split('\n')[17]!.slice(40)).toMatch(/^salery/);
  });

  it.each(['yaml', 'json'] as const)('C20: exported as %s and imported again it is the same contract', format => {
    const { definition } = loadContract(CONTRACT);
    const text = exportContract(definition!, format);
    expect(text).toContain('查找候选人');
    const again = loadContract(text, { format });
    expect(again).toEqual({ definition, faults: [] });
    expect(contractHash(again.definition!)).toBe(contractHash(definition!));
  });

  it('C34: texts that another reader of YAML would take for something else come back as texts', () => {
    const text = CONTRACT.replace('version: "1.0"', 'version: "1.10"')
      .replace('hr_recruiter', 'no')
      .replace('Use a formal, careful tone.', '"12:30"');
    const { definition } = loadContract(exportContract(loadContract(text).definition!, 'yaml'));
    expect(definition).toMatchObject({ version: '1.10', name: 'no', prompts: [{ template: '12:30' }] });
  });

  it('what cannot be read is told once, and not what only follows from it', () => {
    expect(places('agent_name: a\nallowed_tools:\n  - { name: t, effect: read, input_schema: !x {} }\n')).toEqual([
      'YamlTag 3:47',
    ]);
    expect(places('agent_name: 9007199254740993\nallowed_tools: []\n')).toEqual(['InvalidNumber 1:13']);
    expect(places('{"agent_name":"a","allowed_tools":[],"allowed_tools":[]}', 'a.json')).toEqual(['DuplicateKey 1:38']);
  });

  it('never throws for what a text says', () => {
    const cut = fc.tuple(
      fc.nat(CONTRACT.length),
      fc.nat(12),
      fc.constantFrom('', ':', '- ', '{', ']', '"', '\n', '&a ', '~', '__proto__: 1', '\0', '{{', '!t '),
    );
    fc.assert(
      fc.property(fc.array(cut, { minLength: 1, maxLength: 3 }), cuts => {
        const text = cuts.reduce(
          (whole, [at, length, put]) => whole.slice(0, at) + put + whole.slice(at + length),
          CONTRACT,
        );
        const { definition, faults } = loadContract(text);
        expect(definition === undefined).toBe(faults.some(({ severity }) => severity === 'error'));
      }),
      { numRuns: 300 },
    );
  });
});

describe('the JSON Schema of contract files', () => {
  const validator = compileJsonSchema(contractSchema());
  const accepts = (text: string) => validator.validate(parse(text) as JsonValue).ok;

  it('accepts a contract with all that can be added', () => {
    expect(validator.validate(parse(CONTRACT) as JsonValue)).toMatchObject({ ok: true });
  });

  it.each([
    ['a key of the contract', 'allowed_tools:', 'alowed_tools:'],
    ['a key of a tool', 'effect: read', 'efect: read'],
    ['an effect class', 'effect: read', 'effect: reads'],
    ['a key of an approval', 'deadline: 2d', 'dedline: 2d'],
    ['a number for a text', 'name: send_offer', 'name: 5'],
  ])('refuses a mistake in %s', (_, right, wrong) => {
    expect(CONTRACT).toContain(right);
    expect(accepts(CONTRACT.replace(right, wrong))).toBe(false);
  });
});
