import { describe, expect, it } from 'vitest';
import { columns, widthOf } from './columns.ts';
import { jsonText, printable } from './printable.ts';

describe('what is printed', () => {
  it.each([
    ['plain text', 'plain text'],
    ['退款 🎉 Ünïcödé', '退款 🎉 Ünïcödé'],
    ['a\u001b[31mb', 'a\\u{1b}[31mb'],
    ['a\u009bb\u007f', 'a\\u{9b}b\\u{7f}'],
    ['a\u202eb\u2066c\u200fd', 'a\\u{202e}b\\u{2066}c\\u{200f}d'],
    ['two\r\nlines\tand a tab', 'two lines and a tab'],
    ['👩\u200d💻', '👩\u200d💻'],
    ['\ud800', '\\u{d800}'],
  ])('%j reads %j', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it('is the same value as JSON, whatever is in it', () => {
    const value = { text: '\u0000\u001b\u007f\u0085\u009b\u2028\u202e\u2066\ufeff é退🎉\ud800', list: [1, null] };
    const text = jsonText(value, 2);
    expect(JSON.parse(text)).toEqual(value);
    expect(text).toContain('é退🎉');
    expect([...text].filter(character => /[\p{Cc}\p{Cf}\p{Zl}]/u.test(character) && character !== '\n')).toEqual([]);
  });
});

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

  it.each([
    ['abc', 3],
    ['退款', 4],
    ['e\u0301', 1],
    ['🎉', 2],
  ])('%s takes %i', (text, width) => {
    expect(widthOf(text)).toBe(width);
  });
});
