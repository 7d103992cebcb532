import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../json/value.ts';
import { checkJsonSchema } from '../check-json-schema.ts';
import { compileJsonSchema } from '../json-schema.ts';
import { loosenings } from './loosenings.ts';

const KEYS = ['a', 'b', 'ab'] as const;
const key = fc.constantFrom(...KEYS);
const scalar: fc.Arbitrary<JsonValue> = fc.constantFrom(
  null,
  true,
  false,
  '',
  'a',
  'b',
  'ab',
  'ba',
  -1,
  0,
  0.5,
  1,
  2,
  3,
);

/** Small values, so that two schemas drawn by chance have many of them in common. */
const value: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
})).value;

const small = fc.integer({ min: 0, max: 3 });
const pattern = fc.constantFrom('a', '^a', 'b$', '^ab$');
const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'object', 'array', 'null');

/** Each keyword that the comparison knows, with values that bind. Weighted to the objects that arguments are. */
const schema: fc.Arbitrary<JsonObject> = fc.letrec<{ schema: JsonObject; sub: JsonValue; property: JsonValue }>(tie => {
  const list = fc.array(tie('sub'), { minLength: 1, maxLength: 2 });
  const maybe = (arbitrary: fc.Arbitrary<unknown>, times = 1) => fc.option(arbitrary, { nil: undefined, freq: times });
  const numbers = {
    minimum: maybe(small),
    maximum: maybe(small),
    exclusiveMinimum: maybe(small),
    multipleOf: maybe(fc.constantFrom(0.5, 1, 2)),
  };
  const texts = {
    minLength: maybe(small),
    maxLength: maybe(small),
    pattern: maybe(pattern),
    format: maybe(fc.constantFrom('date', 'what')),
  };
  const lists = {
    items: maybe(tie('sub')),
    prefixItems: maybe(list),
    minItems: maybe(small),
    maxItems: maybe(small),
    uniqueItems: maybe(fc.boolean()),
    contains: maybe(tie('sub')),
    unevaluatedItems: maybe(fc.constant(false)),
  };
  const objects = {
    type: maybe(fc.constant('object'), 3),
    properties: maybe(fc.dictionary(key, tie('property'), { maxKeys: 3 }), 4),
    required: maybe(fc.uniqueArray(key, { maxLength: 2 })),
    additionalProperties: maybe(tie('sub'), 2),
    patternProperties: maybe(fc.dictionary(pattern, tie('sub'), { maxKeys: 1 })),
    propertyNames: maybe(tie('sub')),
    minProperties: maybe(small),
    maxProperties: maybe(small),
    dependentRequired: maybe(fc.dictionary(key, fc.uniqueArray(key, { maxLength: 2 }), { maxKeys: 1 })),
    unevaluatedProperties: maybe(fc.constant(false)),
  };
  const choices = {
    type: maybe(type),
    allOf: maybe(list),
    anyOf: maybe(list),
    oneOf: maybe(list),
    not: maybe(tie('sub')),
    if: maybe(tie('sub')),
    else: maybe(tie('sub')),
  };
  const record = (parts: Record<string, fc.Arbitrary<unknown>>) => fc.record(parts).map(withoutUndefined);
  const plain = fc.oneof(
    type.map(of => ({ type: of })),
    record({
      type: maybe(fc.uniqueArray(type, { minLength: 1, maxLength: 3 }), 3),
      enum: maybe(fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 })),
    }),
    scalar.map(of => ({ const: of })),
    record({ type: maybe(fc.constantFrom('number', 'integer'), 3), ...numbers }),
    record({ type: maybe(fc.constant('string'), 3), nullable: maybe(fc.boolean()), ...texts }),
  );
  return {
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      plain,
      record(objects),
      record(objects),
      record(lists),
      record(choices),
    ),
    sub: fc.oneof({ weight: 5, arbitrary: tie('schema') }, { weight: 1, arbitrary: fc.boolean() }),
    property: fc.oneof(
      { weight: 6, arbitrary: tie('sub') },
      { weight: 1, arbitrary: fc.tuple(plain, scalar).map(([of, standard]) => ({ ...of, default: standard })) },
    ),
  };
}).schema;

function withoutUndefined(parts: object): JsonObject {
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
}

/** A schema changed in a few places, as a person changes one. */
function edited(from: JsonObject, other: JsonObject, places: readonly number[]): JsonObject {
  let at = 0;
  const edit = (node: JsonValue): JsonValue => {
    if (Array.isArray(node)) return node.map(edit);
    if (typeof node !== 'object' || node === null) return node;
    const members = Object.entries(node as JsonObject).map(([name, member]): [string, JsonValue] => [
      name,
      edit(member),
    ]);
    const turn = places.indexOf(at++);
    if (turn === 0) return { ...Object.fromEntries(members), ...other };
    if (turn === 1) return Object.fromEntries(members.slice(1));
    if (turn === 2) return { allOf: [Object.fromEntries(members), other] };
    return Object.fromEntries(members);
  };
  return edit(from) as JsonObject;
}

const pair = fc
  .tuple(schema, schema, fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 3 }), fc.boolean())
  .map(([from, other, places, isEdited]) => [from, isEdited ? edited(from, other, places) : other] as const)
  .filter(schemas => schemas.every(one => checkJsonSchema(one, '').every(({ severity }) => severity !== 'error')));

describe('loosenings', () => {
  it('whatever a schema without loosenings lets through, the old one lets through', { timeout: 120_000 }, () => {
    let judgedNarrower = 0;
    fc.assert(
      fc.property(pair, fc.array(value, { minLength: 20, maxLength: 20 }), ([old, now], values) => {
        if (loosenings(old, now).length > 0) return;
        const [before, after] = [compileJsonSchema(old), compileJsonSchema(now)];
        const accepted = values.filter(one => after.validate(one).ok);
        if (accepted.length > 0 && JSON.stringify(old) !== JSON.stringify(now)) judgedNarrower++;
        for (const one of accepted) expect(before.validate(one), JSON.stringify(one)).toMatchObject({ ok: true });
      }),
      { numRuns: 1_500 },
    );
    expect(judgedNarrower).toBeGreaterThan(50);
  });

  it('a schema has no loosenings against itself', () => {
    fc.assert(
      fc.property(schema, one => {
        expect(loosenings(one, { ...one, title: 'the same' })).toEqual([]);
      }),
    );
  });
});
