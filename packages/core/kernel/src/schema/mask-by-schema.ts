import { MASK } from '../gate/masked.ts';
import { hasKey, isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { followRef } from './refs.ts';

/** Whether a schema marks anything as `sensitive`. */
export function marksSensitive(schema: JsonValue): boolean {
  if (Array.isArray(schema)) return schema.some(marksSensitive);
  if (!isJsonObject(schema)) return false;
  return schema.sensitive === true || Object.values(schema).some(marksSensitive);
}

/**
 * The value with what its schema marks as `sensitive` masked; the value itself where there is nothing to mask. A mark
 * under any branch of a choice counts, whichever the value took.
 */
export function maskBySchema(schema: JsonValue, value: JsonValue): JsonValue {
  return isJsonObject(schema) ? mask(schema, value, schema) : value;
}

function mask(written: JsonValue | undefined, value: JsonValue, root: JsonObject): JsonValue {
  if (!isJsonObject(written)) return value;
  const schema = followRef(written, root);
  if (schema.sensitive === true) return MASK;
  const own = Array.isArray(value)
    ? maskItems(schema, value, root)
    : isJsonObject(value)
      ? maskMembers(schema, value, root)
      : value;
  return branchesOf(schema).reduce<JsonValue>((masked, branch) => mask(branch, masked, root), own);
}

function branchesOf({ allOf, anyOf, oneOf, then, else: otherwise }: JsonObject): JsonValue[] {
  const lists = [allOf, anyOf, oneOf].flatMap(list => (Array.isArray(list) ? (list as readonly JsonValue[]) : []));
  return [...lists, ...[then, otherwise].filter(branch => branch !== undefined)];
}

function maskItems(schema: JsonObject, items: readonly JsonValue[], root: JsonObject): JsonValue {
  const first = Array.isArray(schema.prefixItems) ? (schema.prefixItems as readonly JsonValue[]) : [];
  const masked = items.map((item, index) => mask(first[index] ?? schema.items, item, root));
  return masked.some((item, index) => item !== items[index]) ? masked : items;
}

function maskMembers(schema: JsonObject, value: JsonObject, root: JsonObject): JsonObject {
  const named = isJsonObject(schema.properties) ? schema.properties : {};
  const changed: Record<string, JsonValue> = {};
  for (const [key, member] of Object.entries(value)) {
    const masked = mask(hasKey(named, key) ? named[key] : schema.additionalProperties, member, root);
    if (masked !== member) changed[key] = masked;
  }
  return Object.keys(changed).length === 0 ? value : { ...value, ...changed };
}
