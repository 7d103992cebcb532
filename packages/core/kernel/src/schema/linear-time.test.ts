import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { compileJsonSchema } from './json-schema.ts';

/** Generous for a machine that is busy; what goes by the square of these sizes takes ten times as long and more. */
const MOST_MS = 2_000;

function timed(schema: JsonObject, value: JsonValue): { ok: boolean; ms: number } {
  const validator = compileJsonSchema(schema);
  validator.validate(null);
  const start = performance.now();
  const { ok } = validator.validate(value);
  return { ok, ms: performance.now() - start };
}

function list<Item>(length: number, item: (index: number) => Item): Item[] {
  return Array.from({ length }, (_, index) => item(index));
}

describe('the time that checking takes', () => {
  it('grows with a list of objects of which none may stand twice, and not with its square', () => {
    const unique = { type: 'array', uniqueItems: true };
    const items = list(40_000, n => ({ n, list: [n] }));
    expect(timed(unique, items)).toMatchObject({ ok: true });
    expect(timed(unique, items).ms).toBeLessThan(MOST_MS);
    expect(timed(unique, [...items, { list: [7], n: 7 }]).ok).toBe(false);
  });

  it('grows with the text of an address, and not with its square', () => {
    const url = { type: 'string', format: 'url' };
    expect(timed(url, `http://${':'.repeat(100_000)} `).ms).toBeLessThan(MOST_MS);
    expect(timed(url, `http://${'a@'.repeat(50_000)} `).ms).toBeLessThan(MOST_MS);
    for (const text of ['https://example.com/a?b', 'http://me:pass:word@example.com', 'ftp://me@1.2.3.4:21'])
      expect(timed(url, text).ok).toBe(true);
    for (const text of ['http://', 'http://me@', 'example.com', 'http://127.0.0.1'])
      expect(timed(url, text).ok).toBe(false);
  });

  it('is not that of a suggestion for each of very many unknown keys', () => {
    const known = Object.fromEntries(list(20, n => [`property_number_${n}`, {}]));
    const given = Object.fromEntries(list(60_000, n => [`property_numbr_${n}`, 1]));
    const result = timed({ type: 'object', properties: known, additionalProperties: false }, given);
    expect(result).toMatchObject({ ok: false });
    expect(result.ms).toBeLessThan(MOST_MS);
  });
});

describe('items of which none may stand twice', () => {
  const validator = compileJsonSchema({ type: 'array', uniqueItems: true });
  const isUnique = (items: JsonValue) => validator.validate(items).ok;

  it('are the same by their value, whatever the order of their keys', () => {
    expect(
      isUnique([
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ]),
    ).toBe(false);
    expect(isUnique([1, 1])).toBe(false);
    expect(isUnique([[1], [1]])).toBe(false);
  });

  it('are others where kind or place differs', () => {
    expect(isUnique([1, '1', true, 'true', null, 'null', [1], ['1'], {}, [], '{}', '[]'])).toBe(true);
    expect(isUnique([['a', 'b'], ['a,b'], ['b', 'a'], { a: 'b' }, { a: { b: null } }])).toBe(true);
  });
});
