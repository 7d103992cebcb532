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
    fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const small = fc.integer({ min: 0, max: 3 });
const pattern = fc.constantFrom('a', '^a', 'b$', '^ab$');
const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'object', 'array', 'null');

/** Each keyword that the comparison knows, with values that bind. Weighted to the objects that arguments are. */
const schema: fc.Arbitrary<JsonObject> = fc.letrec<{ schema: JsonObject; sub: JsonValue; property: JsonValue }>(tie => {
  const list = fc.array(tie('sub'), { minLength: 1, maxLength: 2 });
  const numbers = {
    minimum: small,
    maximum: small,
    exclusiveMinimum: small,
    multipleOf: fc.constantFrom(0.5, 1, 2),
  };
  const texts = {
    minLength: small,
    maxLength: small,
    pattern,
    format: fc.constantFrom('date', 'what'),
  };
  const lists = {
    items: tie('sub'),
    prefixItems: list,
    minItems: small,
    maxItems: small,
    uniqueItems: fc.boolean(),
    contains: tie('sub'),
    unevaluatedItems: fc.constant(false),
  };
  const objects = {
    type: fc.constant('object'),
    properties: fc.dictionary(key, tie('property'), { maxKeys: 3, noNullPrototype: true }),
    required: fc.uniqueArray(key, { maxLength: 2 }),
    additionalProperties: tie('sub'),
    patternProperties: fc.dictionary(pattern, tie('sub'), { maxKeys: 1, noNullPrototype: true }),
    propertyNames: tie('sub'),
    minProperties: small,
    maxProperties: small,
    dependentRequired: fc.dictionary(key, fc.uniqueArray(key, { maxLength: 2 }), { maxKeys: 1, noNullPrototype: true }),
    unevaluatedProperties: fc.constant(false),
  };
  const choices = {
    type,
    allOf: list,
    anyOf: list,
    oneOf: list,
    not: tie('sub'),
  };
  /** A few of the keywords: where all are there, nothing is let through. */
  const some = (parts: Record<string, fc.Arbitrary<unknown>>, always: string[] = []): fc.Arbitrary<JsonObject> =>
    fc.subarray(Object.keys(parts), { maxLength: 2 }).chain(chosen => {
      const keys = [...new Set([...always, ...chosen])];
      const record = fc.record(Object.fromEntries(keys.map(name => [name, parts[name]!])), { noNullPrototype: true });
      return record as fc.Arbitrary<JsonObject>;
    });
  const plain = fc.oneof(
    type.map(of => ({ type: of })),
    some({
      type: fc.uniqueArray(type, { minLength: 1, maxLength: 3 }),
      enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }),
    }),
    scalar.map(of => ({ const: of })),
    some({ type: fc.constantFrom('number', 'integer'), ...numbers }),
    some({ type: fc.constant('string'), ...texts }),
  );
  return {
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      plain,
      some(objects, ['properties']),
      some(objects, ['type', 'properties']),
      some(lists),
      some(choices),
    ),
    sub: fc.oneof({ weight: 5, arbitrary: tie('schema') }, { weight: 1, arbitrary: fc.boolean() }),
    property: fc.oneof(
      { weight: 6, arbitrary: tie('sub') },
      { weight: 1, arbitrary: fc.tuple(plain, scalar).map(([of, standard]) => ({ ...of, default: standard })) },
    ),
  };
}).schema;

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

/** Other values of single keywords, so that two schemas differ in one bound alone; `undefined` takes it away. */
const OTHERS: Readonly<Record<string, readonly (JsonValue | undefined)[]>> = {
  ...Object.fromEntries(
    [
      ...['minimum', 'maximum', 'exclusiveMinimum', 'minLength', 'maxLength', 'minItems', 'maxItems'],
      ...['minProperties', 'maxProperties'],
    ].map(keyword => [keyword, [0, 1, 2, 3, undefined]]),
  ),
  multipleOf: [0.5, 1, 2, undefined],
  pattern: ['a', '^a', 'b$', '^ab$', undefined],
  format: ['date', undefined],
  type: ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null', undefined],
  const: [0, 1, 'a', null],
  enum: [[0, 1], ['a', 'b', null], [1, 2, 'ab'], undefined],
  default: [0, 'a', undefined],
  required: [['a'], ['b'], ['a', 'b'], undefined],
  dependentRequired: [{ a: ['b'] }, { b: ['a', 'ab'] }, undefined],
  additionalProperties: [false, true, { type: 'string' }, { type: ['string', 'number'] }, undefined],
  propertyNames: [{ maxLength: 1 }, { pattern: '^a' }, undefined],
  uniqueItems: [true, false],
  items: [false, { type: 'string' }, { type: 'number' }, {}, undefined],
  contains: [{ type: 'string' }, { const: 'a' }, undefined],
  unevaluatedProperties: [false, undefined],
  unevaluatedItems: [false, undefined],
  not: [{ type: 'string' }, { const: 1 }, { type: ['string', 'number'] }, undefined],
};

/** One keyword somewhere in the schema with another value. */
function tweaked(from: JsonObject, place: number, other: number): JsonObject {
  const places: (readonly string[])[] = [];
  const look = (node: JsonValue, path: readonly string[]): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [name, member] of Object.entries(node)) {
      if (Object.hasOwn(OTHERS, name)) places.push([...path, name]);
      look(member as JsonValue, [...path, name]);
    }
  };
  look(from, []);
  const path = places[place % Math.max(1, places.length)];
  if (path === undefined) return from;
  const before = JSON.stringify(path.reduce((node: JsonValue, name) => (node as JsonObject)[name]!, from));
  const values = OTHERS[path.at(-1)!]!.filter(value => JSON.stringify(value) !== before);
  return changedAt(from, path, values[other % values.length]) as JsonObject;
}

function changedAt(node: JsonValue, [name, ...rest]: readonly string[], value: JsonValue | undefined): JsonValue {
  const copy = Array.isArray(node) ? [...node] : { ...(node as JsonObject) };
  const members = copy as Record<string, JsonValue>;
  if (rest.length > 0) members[name!] = changedAt(members[name!]!, rest, value);
  else if (value === undefined) delete members[name!];
  else members[name!] = value;
  return copy;
}

const nat = fc.nat(1_000);
const pair = fc
  .tuple(schema, schema, fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 3 }), nat, nat, fc.nat(5))
  .map(([from, other, places, place, turn, how]) => {
    if (how === 0) return [from, other] as const;
    return [from, how === 1 ? edited(from, other, places) : tweaked(from, place, turn)] as const;
  })
  .filter(schemas => JSON.stringify(schemas[0]) !== JSON.stringify(schemas[1]))
  .filter(schemas => schemas.every(one => checkJsonSchema(one, '').every(({ severity }) => severity !== 'error')));

/** Mostly the objects that arguments are. */
const given = fc.oneof(
  value,
  fc.dictionary(key, value, { maxKeys: 3, noNullPrototype: true }),
  fc.dictionary(key, scalar, { maxKeys: 3, noNullPrototype: true }),
);

describe('loosenings', () => {
  it('whatever a schema without loosenings lets through, the old one lets through', { timeout: 120_000 }, () => {
    let judgedNarrower = 0;
    fc.assert(
      fc.property(pair, fc.array(given, { minLength: 30, maxLength: 30 }), ([old, now], values) => {
        if (loosenings(old, now).length > 0) return;
        const [before, after] = [compileJsonSchema(old), compileJsonSchema(now)];
        const accepted = values.filter(one => after.validate(one).ok);
        if (accepted.length > 0) judgedNarrower++;
        for (const one of accepted) expect(before.validate(one), JSON.stringify(one)).toMatchObject({ ok: true });
      }),
      { numRuns: 1_500 },
    );
    expect(judgedNarrower).toBeGreaterThan(100);
  });

  it('a schema has no loosenings against itself', () => {
    fc.assert(
      fc.property(schema, one => {
        expect(loosenings(one, { ...one, title: 'the same' })).toEqual([]);
      }),
    );
  });
});
