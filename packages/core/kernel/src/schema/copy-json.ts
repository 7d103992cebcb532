import type { JsonValue } from '../json/value.ts';

/** A deep copy that shares nothing with the value. */
export function copyJson(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyJson(member)]));
}

/** Whether the key stands anywhere in the value. */
export function mentions(value: JsonValue, key: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(item => mentions(item, key));
  return Object.entries(value).some(([name, member]) => name === key || mentions(member, key));
}
