import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../json/value.ts';
import { compileJsonSchema } from '../../schema/json-schema.ts';
import { unexplained } from '../testing/explained.ts';
import { createNormalizer } from './normalizer.ts';

const leaf = fc.constantFrom<JsonObject>(
  { type: 'integer' },
  { type: 'number', minimum: 1 },
  { type: 'boolean' },
  { type: 'string' },
  { type: 'null' },
  { type: ['integer', 'null'] },
  { type: 'string', format: 'date' },
  { type: 'string', format: 'date-time' },
  { type: 'string', format: 'int64' },
  { enum: ['yes', 'no', null] },
  { enum: [1, '1', true] },
  { const: 'on' },
  {},
);

const { schema } = fc.letrec<{ schema: JsonObject }>(tie => ({
  schema: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    leaf,
    fc.record({
      type: fc.constant('object'),
      properties: fc.record({ a: tie('schema'), b: tie('schema') }, { requiredKeys: [] }),
      required: fc.subarray(['a']),
      additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
    }),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 2, maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
  ),
}));

const scalar = fc.constantFrom<JsonValue>(
  ...['1', ' 2 ', '1,234', '0', '-7', '1.5', 'true', 'YES', 'no', '否', 'null', 'on', 'ON', 'x', ''],
  ...['2026-03-04', '2026年3月4日', '03/04/2026', '2026-02-30', '2026-03-04 09:00Z', '{"a":"1"}', '["1","yes"]'],
  ...[0, 1, 2.5, true, false, null],
);
const { value } = fc.letrec<{ value: JsonValue }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
  ),
}));

describe('normalization', () => {
  it('leaves alone what satisfies its schema, changes nothing that it does not name, and has nothing to do a second time', () => {
    let changed = 0;
    fc.assert(
      fc.property(
        schema,
        fc.array(value, { minLength: 8, maxLength: 8 }),
        fc.option(fc.constant('Asia/Taipei'), { nil: undefined }),
        (type, given, zone) => {
          const normalizer = createNormalizer(type);
          const validator = compileJsonSchema(type);
          const options = zone === undefined ? {} : { zone };
          for (const one of given) {
            const before = structuredClone(one);
            const { value: result, changes } = normalizer.normalize(one, options);
            expect(one).toEqual(before);
            if (changes.length === 0 || validator.validate(one).ok) expect(result).toBe(one);
            else changed++;
            expect(unexplained(one, result, new Set(changes.map(change => change.pointer)))).toEqual([]);
            expect(normalizer.normalize(result, options).changes).toEqual([]);
          }
        },
      ),
      { numRuns: 250 },
    );
    expect(changed).toBeGreaterThan(30);
  });

  it('ends in time on a choice within a choice that refers to itself', () => {
    const tree: JsonObject = {
      $ref: '#/$defs/tree',
      $defs: {
        tree: {
          anyOf: [
            { type: 'integer' },
            { type: 'array', items: { $ref: '#/$defs/tree' } },
            { type: 'object', additionalProperties: { $ref: '#/$defs/tree' } },
          ],
        },
      },
    };
    let deep: JsonValue = true;
    for (let i = 0; i < 60; i++) deep = [deep];
    expect(createNormalizer(tree).normalize(deep)).toEqual({ value: deep, changes: [], ambiguous: [] });
    expect(createNormalizer(tree).normalize([['1']]).value).toEqual([[1]]);
  });
});
