import { describe, expect, it } from 'vitest';
import { tokenize, wordsOf } from './tokenize.ts';

describe('tokenizing', () => {
  it('lower-cases and stems English words and drops punctuation', () => {
    expect(wordsOf('Refunding my ORDERS, please!')).toEqual(['refund', 'my', 'order', 'pleas']);
  });

  it('makes one token of every number', () => {
    expect(wordsOf('order 48213 and 3')).toEqual(['order', '#', 'and']);
  });

  it('gives Chinese words, characters and pairs of neighbours', () => {
    expect(tokenize('我要退款')).toEqual(expect.arrayContaining(['退款', '我', '款', '我要', '要退']));
  });

  it('makes no pair across punctuation', () => {
    expect(tokenize('坏了，退款')).not.toContain('了退');
  });

  it('reads traditional and full-width writing as simplified and plain', () => {
    expect(tokenize('請退貨')).toEqual(tokenize('请退货'));
    expect(tokenize('ＲＥＦＵＮＤ')).toEqual(['refund']);
  });

  it('finds nothing in a text without words', () => {
    expect(tokenize(' …!? ')).toEqual([]);
  });
});
