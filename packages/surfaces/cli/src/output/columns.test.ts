import { describe, expect, it } from 'vitest';
import { columns } from './columns.ts';

describe('columns', () => {
  it('are aligned by what a terminal shows, not by code units', () => {
    const lines = columns(
      ['A', 'B'],
      [
        ['退款', 'x'],
        ['abcd', 'y'],
      ],
    ).map(parts => parts.map(part => (typeof part === 'string' ? part : part.text)).join(''));
    expect(lines).toEqual(['A     B', '退款  x', 'abcd  y']);
  });

  it('cut what is too wide', () => {
    const [, line] = columns(['A', 'B'], [['x'.repeat(100), 'y']]);
    expect(line).toEqual([`${'x'.repeat(47)}…  y`]);
  });
});
