import { isJsonObject, type JsonValue } from './value.ts';

/** Whether two values are the same JSON: key order does not count, list order does, 0 and -0 are one. */
export function jsonEqual(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && listsEqual(a, b);
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every(key => Object.hasOwn(b, key) && jsonEqual(a[key]!, b[key]!));
}

function listsEqual(a: readonly JsonValue[], b: readonly JsonValue[]): boolean {
  return a.length === b.length && a.every((item, i) => jsonEqual(item, b[i]!));
}
