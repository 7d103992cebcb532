import fc from 'fast-check';
import type { JsonValue } from '../../json/value.ts';
import { KEYWORDS, type KeywordKind, TYPES } from '../keywords.ts';

const name = fc.constantFrom('a', 'b', 'a/b', 'x y');
const names = fc.uniqueArray(name, { maxLength: 2 });
const json = fc.constantFrom<JsonValue>(null, true, 0, 1.5, 'a', [], {}, [1], { a: 1 });
const ref = fc.constantFrom('#', '#/$defs/a', '#/properties/a', '#a', '#b', '#/nowhere', 'urn:test:x', '#/allOf/0');
const type = fc.constantFrom(...TYPES);

function valuesOf(schema: fc.Arbitrary<JsonValue>): Readonly<Record<KeywordKind, fc.Arbitrary<JsonValue>>> {
  return {
    anchor: fc.constantFrom('a', 'b', 'a b', ''),
    any: json,
    boolean: fc.boolean(),
    count: fc.nat(3),
    dependencies: fc.dictionary(name, fc.oneof(names, schema), { maxKeys: 2 }),
    enum: fc.uniqueArray(json, { minLength: 1, maxLength: 3 }),
    format: fc.constantFrom('date', 'date-time', 'time', 'email', 'int64', 'regex', 'float', 'uuid', 'nobody-knows'),
    fragment: ref,
    list: fc.array(json, { maxLength: 2 }),
    namesByKey: fc.dictionary(name, names, { maxKeys: 2 }),
    number: fc.constantFrom(-1, 0, 2.5),
    olderId: fc.constant('urn:test:y'),
    pattern: fc.constantFrom('^a', '.', '\\d+'),
    positive: fc.constantFrom(0.01, 2),
    ref,
    schema,
    schemaByKey: fc.dictionary(name, schema, { maxKeys: 2 }),
    schemaByPattern: fc.dictionary(fc.constantFrom('^a', '.'), schema, { maxKeys: 2 }),
    schemaList: fc.array(schema, { minLength: 1, maxLength: 2 }),
    text: fc.constantFrom('a', '2020-01-01', 'urn:test:x', '#a', ''),
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
    uniqueTexts: names,
  };
}

/** Keywords that nobody knows here, some of which a compiler of schemas might. */
const OTHERS = ['$async', 'discriminator', 'additionalItems', '$vocabulary', '$data', 'instanceof', 'reducer'];

/**
 * Any keywords with values of the right kind. References may lead nowhere and keywords may contradict each other, so that
 * about every other schema is right.
 */
export const randomSchema: fc.Arbitrary<JsonValue> = fc.letrec<{ schema: JsonValue }>(tie => {
  const schema = tie('schema');
  const values = valuesOf(schema);
  const keyword = fc
    .constantFrom(...KEYWORDS.entries())
    .chain(([known, kind]) => values[kind].map((value): [string, JsonValue] => [known, value]));
  const other = fc.tuple(fc.constantFrom(...OTHERS), json);
  const some = fc
    .array(fc.oneof({ weight: 30, arbitrary: keyword }, { weight: 1, arbitrary: other }), { maxLength: 5 })
    .map(members => Object.fromEntries(members));
  const choices = fc.record(
    {
      if: schema,
      else: schema,
      anyOf: values.schemaList,
      properties: values.schemaByKey,
      patternProperties: values.schemaByPattern,
      prefixItems: values.schemaList,
      unevaluatedProperties: schema,
      unevaluatedItems: schema,
    },
    { requiredKeys: [] },
  );
  return { schema: fc.oneof({ maxDepth: 4, depthSize: 'medium' }, fc.boolean(), some, choices) };
}).schema;
