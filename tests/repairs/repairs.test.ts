import { describe, expect, it } from 'vitest';
import { judgeRow, readRows, readTools } from './testing/judge-rows.ts';

const ROWS = readRows();
const CONTRACT = readTools();

describe.each([...new Set(ROWS.map(({ kind }) => kind))])('malformed arguments: %s', kind => {
  const rows = ROWS.filter(row => row.kind === kind);

  it.each(rows.filter(({ gives }) => gives !== undefined))('$sent is repaired by rules alone', row => {
    const { judgement, outcome } = judgeRow(CONTRACT, row);
    expect(judgement).toMatchObject({ verdict: 'ready', args: row.gives });
    expect(outcome).toBe('repaired');
  });

  it.each(rows.filter(({ refused }) => refused !== undefined))('$sent goes back to the model', row => {
    const { judgement, outcome } = judgeRow(CONTRACT, row);
    expect(judgement).toMatchObject({ verdict: 'refused', refusal: { code: row.refused } });
    expect(outcome).toBe('toModel');
  });

  it.each(rows.filter(row => row.kept))('$sent is left alone', row => {
    expect(judgeRow(CONTRACT, row).outcome).toBe('kept');
  });
});

describe('the data set', () => {
  it('says of every row one thing that is to become of it, and no row twice', () => {
    for (const { gives, refused, kept } of ROWS)
      expect([gives, refused, kept].filter(said => said !== undefined)).toHaveLength(1);
    expect(new Set(ROWS.map(({ tool, sent }) => `${tool} ${sent}`)).size).toBe(ROWS.length);
  });
});
