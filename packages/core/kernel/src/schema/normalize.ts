import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { KEYWORDS } from './keywords.ts';
import { mergeChoices } from './merge-choices.ts';

/**
 * The form of a schema that is hashed: two spellings of one meaning give one form, whether a library or a person wrote
 * them. It is a valid schema that accepts the same values.
 *
 * - Annotations go: `title`, `description`, `$schema`, `examples`, `$comment`, `deprecated`, `readOnly`, `writeOnly`.
 *   `default` stays, as it acts; so do keywords that JSON Schema does not know (`reducer`).
 * - `required` is sorted, an empty one goes. Keywords that bound nothing go: `properties: {}`, `minLength: 0`,
 *   `additionalProperties: true`, `propertyNames: { type: string }`, and the bounds of the safe integers on an integer,
 *   which hold for every JSON integer here.
 * - `additionalProperties: false` stays: refusing unknown keys is a meaning. A library's schema is taken in its input
 *   form, where only a strict object has it.
 * - A type list is sorted, and one type stands alone. `enum` of one value is `const`, `null` alone is `type: null`;
 *   beside `enum` and `const` a type goes that all their values have.
 * - `anyOf` (`oneOf`) of constants is an `enum`, in its order; of bare types, a type list. With `null` as the other choice
 *   it is a type list or an `enum` with null (nullable).
 */
export function normalizedSchema(schema: JsonObject): JsonObject {
  return normalize(schema);
}

const ANNOTATIONS = new Set([
  ...['title', 'description', '$schema', 'examples', '$comment'],
  ...['deprecated', 'readOnly', 'writeOnly'],
]);

function normalize(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema)
    .filter(([keyword]) => !ANNOTATIONS.has(keyword))
    .map(([keyword, value]): [string, JsonValue] => [keyword, normalizeWithin(keyword, value)]);
  const bare = Object.fromEntries(kept.filter(([keyword, value]) => !bindsNothing(keyword, value)));
  return simplifyValues(simplifyType(mergeChoices(bare)));
}

function normalizeWithin(keyword: string, value: JsonValue): JsonValue {
  switch (KEYWORDS.get(keyword)) {
    case 'schema':
      return normalizeAny(value);
    case 'schemaList':
      return Array.isArray(value) ? value.map(normalizeAny) : value;
    case 'schemaByKey':
    case 'schemaByPattern':
      return isJsonObject(value)
        ? Object.fromEntries(Object.entries(value).map(([key, schema]) => [key, normalizeAny(schema)]))
        : value;
    case 'uniqueTexts':
      return Array.isArray(value) ? [...new Set(value)].sort() : value;
    default:
      return value;
  }
}

function normalizeAny(schema: JsonValue): JsonValue {
  return isJsonObject(schema) ? normalize(schema) : schema;
}

function bindsNothing(keyword: string, value: JsonValue): boolean {
  switch (keyword) {
    case 'required':
      return Array.isArray(value) && value.length === 0;
    case 'properties':
    case 'patternProperties':
      return isEmpty(value);
    case 'additionalProperties':
    case 'items':
      return value === true || isEmpty(value);
    case 'propertyNames':
      return value === true || isEmpty(value) || (isJsonObject(value) && isOnly(value, 'type', 'string'));
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return value === 0;
    case 'uniqueItems':
      return value === false;
    default:
      return false;
  }
}

function isEmpty(value: JsonValue): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

function isOnly(schema: JsonObject, keyword: string, value: JsonValue): boolean {
  return Object.keys(schema).length === 1 && schema[keyword] === value;
}

function simplifyType(schema: JsonObject): JsonObject {
  const { type, minimum, maximum, ...rest } = schema;
  const types = Array.isArray(type) ? [...new Set(type)].sort() : type;
  const single = Array.isArray(types) && types.length === 1 ? types[0]! : types;
  const integer =
    single === 'integer' || (Array.isArray(single) && single.includes('integer') && !single.includes('number'));
  return {
    ...rest,
    ...(single === undefined ? {} : { type: single }),
    ...(minimum === undefined || (integer && minimum === Number.MIN_SAFE_INTEGER) ? {} : { minimum }),
    ...(maximum === undefined || (integer && maximum === Number.MAX_SAFE_INTEGER) ? {} : { maximum }),
  };
}

function simplifyValues(schema: JsonObject): JsonObject {
  const values = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const!] : undefined;
  if (values === undefined || ('enum' in schema && 'const' in schema)) return schema;
  const { enum: _enum, const: _const, type, ...rest } = schema;
  const implied = type === undefined || values.every(value => hasType(value, type));
  const kept: JsonObject = implied ? {} : { type };
  if (values.length !== 1) return { ...rest, ...kept, enum: values };
  return values[0] === null && implied ? { ...rest, type: 'null' } : { ...rest, ...kept, const: values[0]! };
}

function hasType(value: JsonValue, type: JsonValue): boolean {
  return Array.isArray(type) ? type.some(one => isOfType(value, one)) : isOfType(value, type);
}

function isOfType(value: JsonValue, type: JsonValue): boolean {
  if (value === null) return type === 'null';
  if (Array.isArray(value)) return type === 'array';
  return type === 'integer' ? Number.isInteger(value) : type === typeof value;
}
