import { describe, expect, it } from 'vitest';
import { masked } from './masked.ts';

describe('masked', () => {
  it('hides what the pointers lead to, whole, in a copy', () => {
    const value = { card: { number: '4111', year: 2030 }, list: ['a', 'b'], 'a/b': 1 };
    expect(masked(value, { pointers: ['/card', '/list/1', '/a~1b'] })).toEqual({
      card: '***',
      list: ['a', '***'],
      'a/b': '***',
    });
    expect(value.card.number).toBe('4111');
    expect(masked(value, { pointers: [''] })).toBe('***');
  });

  it('leaves the value alone where nothing is at the pointer', () => {
    const value = { a: { b: 1 }, n: null, list: [1] };
    expect(masked(value, { pointers: ['/x', '/a/c', '/n/x', '/list/7', '/list/-', '/a/toString'] })).toBe(value);
  });

  it('hides null, false and 0 like any value', () => {
    expect(masked({ a: null, b: false, c: 0 }, { pointers: ['/a', '/b', '/c'] })).toEqual({
      a: '***',
      b: '***',
      c: '***',
    });
  });

  it('hides a text in which the value may stand', () => {
    expect(masked({ card: '{"number":"4111"}' }, { pointers: ['/card/number'] })).toEqual({ card: '***' });
  });

  it('hides what a schema marks, at any depth, and a text in which that may stand', () => {
    const card = {
      type: 'object',
      properties: { number: { type: 'string', sensitive: true }, of: { type: 'string' } },
    };
    const schema = { type: 'object', properties: { cards: { type: 'array', items: card }, of: { type: 'string' } } };
    const parts = { pointers: [], schema };
    expect(masked({ cards: [{ number: '4111', of: 'Ada' }] }, parts)).toEqual({
      cards: [{ number: '***', of: 'Ada' }],
    });
    expect(masked({ cards: '[{"number":"4111"}]', of: 'Ada' }, parts)).toEqual({ cards: '***', of: 'Ada' });
  });
});
