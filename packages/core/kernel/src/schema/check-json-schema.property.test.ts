import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { compileWithAjv } from './ajv.ts';
import { checkJsonSchema } from './check-json-schema.ts';
import { checkedJsonSchema } from './json-schema.ts';
import { hasInnerBase } from './refs.ts';
import { randomSchema } from './testing/random-schema.ts';

const VALUES: readonly JsonValue[] = [
  ...[{}, { a: 1 }, { a: { a: 1 }, b: [1] }, { b: 1, 'x y': {} }],
  ...[[], [1, {}], [{ a: 1 }, 'a', 2], 'a', '2020-01-01', 1, null],
];

const isRight = (schema: JsonObject) => checkJsonSchema(schema, '').every(({ severity }) => severity !== 'error');

describe('checkJsonSchema', () => {
  it('finds everything on account of which a schema could not be used', () => {
    let right = 0;
    fc.assert(
      fc.property(randomSchema.filter(isJsonObject), schema => {
        if (!isRight(schema)) return;
        right++;
        expect(() => compileWithAjv(schema)).not.toThrow();
        const validator = checkedJsonSchema(schema);
        // Where a part has a base of its own, a loop cannot be told from another reference.
        const values = hasInnerBase(schema) ? [] : VALUES;
        for (const value of values) expect(() => validator.validate(value)).not.toThrow();
      }),
      { numRuns: 1500 },
    );
    expect(right).toBeGreaterThan(150);
  });
});
