import { isJsonObject, type JsonValue } from '@signalbox/kernel';

const TAKEN = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'anyOf',
  'description',
  'title',
  '$defs',
  '$ref',
  '$schema',
]);

/**
 * Can OpenAI hold a model to this schema? Every object has to be closed and to require all of its properties, and only some
 * keywords may be used (the source is its guide to structured outputs). Other schemas are sent as a wish.
 */
export function isClosedSchema(schema: JsonValue): boolean {
  return isJsonObject(schema) && schema.type === 'object' && isClosed(schema);
}

function isClosed(schema: JsonValue | undefined): boolean {
  if (!isJsonObject(schema) || Object.keys(schema).some(key => !TAKEN.has(key))) return false;
  const { properties, required, additionalProperties, items, anyOf, $defs } = schema;
  if (schema.type === 'object' || properties !== undefined) {
    const names = isJsonObject(properties) ? Object.keys(properties) : [];
    const all = Array.isArray(required) ? required : [];
    if (additionalProperties !== false || !names.every(name => all.includes(name))) return false;
  }
  const parts = [
    ...(isJsonObject(properties) ? Object.values(properties) : []),
    ...(isJsonObject($defs) ? Object.values($defs) : []),
    ...(Array.isArray(anyOf) ? anyOf : []),
    ...(items === undefined ? [] : [items]),
  ];
  return parts.every(isClosed);
}
