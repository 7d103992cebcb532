import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ExprType } from './expr-type.ts';
import { compileExpression } from './expression.ts';
import { typeOfSchema } from './schema-type.ts';

const guide = readFileSync(new URL('../../../../../docs/guides/expressions.md', import.meta.url), 'utf8');

const bindings = JSON.parse(/```json\n(.*?)```/s.exec(guide)![1]!);
const state = typeOfSchema({
  type: 'object',
  required: ['count', 'amount', 'trail', 'due'],
  properties: {
    count: { type: 'integer' },
    amount: { type: 'number' },
    trail: { type: 'array', items: { type: 'string' } },
    due: { type: 'string' },
    note: { type: 'string' },
  },
});
const variables = { input: ExprType.dyn, state, output: ExprType.dyn, now: ExprType.timestamp };

const rows = [...guide.matchAll(/^\| `(.+?)` \| (fails: )?`(.+)` \|$/gm)].map(([, expression, fails, cell]) => ({
  source: expression!.replaceAll('\\|', '|'),
  fails: fails !== undefined,
  cell: cell!,
}));
const isCode = (cell: string) => /^[A-Z]\w+$/.test(cell);

describe('the guide to expressions', () => {
  it('has no row that this test does not read', () => {
    expect(rows.length).toBeGreaterThan(50);
    expect(rows.length).toBe(guide.split('\n').filter(line => line.startsWith('| `')).length);
  });

  it.each(rows.filter(row => !isCode(row.cell)))('says what $source gives', ({ source, fails, cell }) => {
    const { expression, faults } = compileExpression(source, { variables });
    expect(faults).toEqual([]);
    const wanted = fails ? { ok: false, reason: cell } : { ok: true, value: JSON.parse(cell) };
    expect(expression?.evaluate(bindings)).toEqual(wanted);
  });

  it.each(rows.filter(row => isCode(row.cell)))('says that $source is refused as $cell', ({ source, cell }) => {
    const { expression, faults } = compileExpression(source, { variables });
    expect(faults.map(fault => fault.code)).toEqual([cell]);
    expect(expression).toBeUndefined();
  });
});
