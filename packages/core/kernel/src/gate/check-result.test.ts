import { describe, expect, it } from 'vitest';
import { compileText } from '../contract/compile-text.ts';
import { DYN, STRING } from '../expression/expr-type.ts';
import { bridgeResult } from './bridge-result.ts';
import { checkResult } from './check-result.ts';
import { contractOf, factsOf } from './testing/contract.ts';

const contract = contractOf({
  find: {
    input_schema: { type: 'object', properties: { q: { type: 'string' } } },
    output_schema: {
      type: 'object',
      required: ['rows'],
      properties: {
        rows: { type: 'array', items: { type: 'object' } },
        total: { type: 'integer', default: 0 },
        owner: { type: 'string' },
      },
    },
    sensitiveOutput: ['owner'],
    writes: { found: 'output.rows.size()', first: 'output.rows[0].id', asked: "args.q.orValue('')" },
  },
  note: { bridge: { template: '{{ output.size() }} notes, the first: {{ output[0] }}', maxChars: 60 } },
  raw: {},
});
const facts = factsOf();

describe('the result of a call', () => {
  it('that fits its schema comes out of it, with what it writes', () => {
    expect(checkResult(contract, { tool: 'find', args: { q: 'x' }, output: { rows: [{ id: 7 }] } }, facts)).toEqual({
      ok: true,
      output: { rows: [{ id: 7 }], total: 0 },
      writes: { found: 1, first: 7, asked: 'x' },
    });
  });

  it('that does not fit is told with its places, and not coerced', () => {
    const checked = checkResult(contract, { tool: 'find', args: {}, output: { rows: 'none', total: '7' } }, facts);
    expect(checked).toMatchObject({ ok: false, message: expect.stringContaining('/rows must be a list, not a text') });
    expect(checked.ok || checked.issues.map(issue => issue.pointer)).toEqual(['/rows', '/total']);
  });

  it('whose write cannot be made has failed, with the state key', () => {
    const checked = checkResult(contract, { tool: 'find', args: {}, output: { rows: [] } }, facts);
    expect(checked).toMatchObject({ ok: false, message: expect.stringContaining('cannot be written to `first`') });
  });

  it('of a tool that the contract does not have is an error', () => {
    const unknown = { tool: 'drop', args: {}, output: null };
    expect(() => checkResult(contract, unknown, facts)).toThrow('does not have the tool `drop`');
    expect(() => bridgeResult(contract, unknown, facts)).toThrow('does not have the tool `drop`');
  });
});

describe('the text that the prompt gets of a result', () => {
  const textOf = (tool: string, output: unknown, options = {}) =>
    bridgeResult(contract, { tool, args: {}, output: output as never }, facts, options);

  it('is a text as it is, and other values as JSON', () => {
    expect(textOf('raw', '审批')).toEqual({ text: '审批', cut: false });
    expect(textOf('raw', { a: [1, null] })).toEqual({ text: '{"a":[1,null]}', cut: false });
  });

  it('is made by the template of the contract', () => {
    expect(textOf('note', ['call back'])).toEqual({ text: '1 notes, the first: call back', cut: false });
  });

  it('is the value itself where the template does not fit it, and says why', () => {
    expect(textOf('note', [])).toMatchObject({ text: '[]', reason: expect.stringContaining('no element 0') });
  });

  it('is bounded in whole characters, and says that it was cut', () => {
    const { text, cut } = textOf('note', ['😀'.repeat(100)]);
    expect([...text]).toHaveLength(60);
    expect(cut).toBe(true);
    expect(text).toMatch(/^1 notes, the first: 😀+ … \[cut: 120 characters in all\]$/u);
    expect([...textOf('raw', 'x'.repeat(5000)).text]).toHaveLength(4000);
    expect(textOf('raw', 'x'.repeat(50), { maxChars: 10 }).text).toHaveLength(10);
  });

  it('is made by a template of the caller for tools whose contract has none', () => {
    const template = compileText('{{ tool }} gave {{ output }}', {
      variables: { tool: STRING, output: DYN },
    }).template!;
    expect(textOf('raw', [1], { template }).text).toBe('raw gave [1]');
    expect(textOf('note', ['call back'], { template }).text).toBe('1 notes, the first: call back');
  });

  it('has no sensitive part of it', () => {
    expect(textOf('find', { rows: [], owner: 'Ada' }).text).toBe('{"rows":[],"owner":"***"}');
  });
});
