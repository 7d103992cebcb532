import { hasKey, isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { mentions } from './copy-json.ts';

/** Whether a part of the schema names a base of its own (`$id`), so that references need more than a JSON pointer. */
export function hasOwnBase(schema: JsonObject): boolean {
  return mentions(schema, '$id');
}

/** Whether a part of the schema below its root does, so that `#` may mean that part. */
export function hasInnerBase({ $id: _own, ...rest }: JsonObject): boolean {
  return hasOwnBase(rest);
}

/** The schema that a local `$ref` (`#`, `#/$defs/address`, `#anchor`) leads to; undefined when it leads nowhere. */
export function findRef(root: JsonObject, ref: string): JsonObject | boolean | undefined {
  if (ref !== '#' && !ref.startsWith('#/')) return ref.startsWith('#') ? findAnchor(root, ref.slice(1)) : undefined;
  let found: JsonValue | undefined = root;
  for (const token of ref.split('/').slice(1)) {
    const key = decode(token).replaceAll('~1', '/').replaceAll('~0', '~');
    found = memberOf(found, key);
  }
  return typeof found === 'boolean' || isJsonObject(found) ? found : undefined;
}

/** A schema with what its `$ref` leads to beneath its own keywords; as it is where the reference leads nowhere. */
export function followRef(schema: JsonObject, root: JsonObject): JsonObject {
  const seen = new Set<string>();
  let current = schema;
  while (typeof current.$ref === 'string' && !seen.has(current.$ref)) {
    const { $ref: ref, ...own } = current;
    const target = findRef(root, current.$ref);
    if (!isJsonObject(target)) return current;
    seen.add(String(ref));
    current = { ...target, ...own };
  }
  return current;
}

/** The part of a schema at a JSON pointer, as a schema that stands alone and still resolves the references of the whole. */
export function schemaWithin(root: JsonObject, pointer: string): JsonObject {
  const fragment = pointer.split('/').map(encodeURIComponent).join('/');
  const base = typeof root.$id === 'string' ? root.$id : 'signalbox:root';
  return { $ref: `${base}#${fragment}`, $defs: { root: { ...HARMLESS_RULE, ...root, $id: base } } };
}

/** ajv looks for what is inside a schema that is nothing but a reference behind that reference, without end. */
export const HARMLESS_RULE: JsonObject = { minProperties: 0 };

function findAnchor(value: JsonValue, name: string): JsonObject | undefined {
  if (Array.isArray(value)) return first(value, item => findAnchor(item, name));
  if (!isJsonObject(value)) return undefined;
  if (value.$anchor === name || value.$dynamicAnchor === name) return value;
  return first(Object.values(value), member => findAnchor(member, name));
}

function first<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function memberOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined;
  return isJsonObject(value) && hasKey(value, key) ? value[key] : undefined;
}

function decode(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}
