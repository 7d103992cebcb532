import { describe, expect, it } from 'vitest';
import { jsonText, printable } from './printable.ts';
import { cutToWidth, displayWidth } from './width.ts';
import { wrap } from './wrap.ts';

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

describe('the width of a text', () => {
  it.each([
    ['abc', 3],
    ['退款', 4],
    ['e\u0301', 1],
    ['🎉', 2],
  ])('%s takes %i', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  it('is kept when it is cut', () => {
    expect(cutToWidth('退款申请', 5)).toBe('退款…');
    expect(cutToWidth('退款', 4)).toBe('退款');
  });

  it('bounds every line of a wrapped text, which loses nothing but blanks where it breaks', () => {
    const text =
      '重复扣款，客户要求全额退款。 Charged twice for R-17! https://example.org/a-very-long-address-that-fits-nowhere 👩\u200d💻';
    for (const width of [10, 20, 40]) {
      const lines = wrap(text, width);
      expect(lines.filter(line => displayWidth(line) > width)).toEqual([]);
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
    }
    expect(wrap('one two', 5)).toEqual(['one', 'two']);
  });
});
