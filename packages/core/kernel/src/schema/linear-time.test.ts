import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { compileJsonSchema } from './json-schema.ts';
import type { Validation } from './validator.ts';

/** Nothing here takes a second; what goes by the square of these lengths takes minutes, and is stopped as hanging. */
const HANGS_MS = 60_000;

function validated(schema: JsonObject, value: JsonValue): Validation {
  return compileJsonSchema(schema).validate(value);
}

function list<Item>(length: number, item: (index: number) => Item): Item[] {
  return Array.from({ length }, (_, index) => item(index));
}

describe('the work of checking', () => {
  it('looks at each of the items of which none may stand twice as often as its neighbours, not once for each other one', () => {
    let reads = 0;
    const items = list(2_000, n => ({
      get n() {
        reads += 1;
        return n;
      },
    }));
    expect(validated({ type: 'array', uniqueItems: true }, items).ok).toBe(true);
    expect(reads).toBeLessThanOrEqual(2 * items.length);
  });

  it(
    'grows with the text of an address, and not with its square',
    () => {
      const url = { type: 'string', format: 'url' };
      expect(validated(url, `http://${':'.repeat(600_000)} `).ok).toBe(false);
      expect(validated(url, `http://${'a@'.repeat(300_000)} `).ok).toBe(false);
    },
    HANGS_MS,
  );

  it.each(['https://example.com/a?b', 'http://me:pass:word@example.com', 'ftp://me@1.2.3.4:21'])(
    'finds that %s is an address',
    text => {
      expect(validated({ type: 'string', format: 'url' }, text).ok).toBe(true);
    },
  );

  it.each(['http://', 'http://me@', 'example.com', 'http://127.0.0.1'])('finds that %s is none', text => {
    expect(validated({ type: 'string', format: 'url' }, text).ok).toBe(false);
  });

  it('looks for what is meant by the first of very many unknown keys, and names them all', () => {
    const known = Object.fromEntries(list(20, n => [`property_number_${n}`, {}]));
    const given = Object.fromEntries(list(500, n => [`property_numbr_${n}`, 1]));
    const result = validated({ type: 'object', properties: known, additionalProperties: false }, given);
    const issues = result.ok ? [] : result.issues;
    expect(issues).toHaveLength(500);
    expect(issues.filter(({ message }) => message.includes('property_number_'))).toHaveLength(50);
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
