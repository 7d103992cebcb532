import type { JsonValue } from '../json/value.ts';

/** A deep copy that shares nothing with the value. */
export function copyJson(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson);
  // Spread first, so that every key is an own one, whatever its name, before it is assigned.
  const copy: Record<string, JsonValue> = { ...(value as { readonly [key: string]: JsonValue }) };
  for (const key in copy) {
    const member = copy[key]!;
    if (typeof member === 'object' && member !== null) copy[key] = copyJson(member);
  }
  return copy;
}

/** Whether the key stands anywhere in the value. */
export function mentions(value: JsonValue, key: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(item => mentions(item, key));
  return Object.entries(value).some(([name, member]) => name === key || mentions(member, key));
}
