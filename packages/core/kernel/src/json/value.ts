/** Values are JSON only (design: "Values are JSON only"). Everything that enters an event is one of these. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Keys that would reach an object's prototype; refused wherever a key comes from outside. */
export const DANGEROUS_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Presence is decided by key, never by truthiness. */
export function hasKey(object: object, key: string): boolean {
  return Object.hasOwn(object, key);
}

/** How deep arrays and objects may nest in a value from outside; `[]` is one deep. */
export const MAX_JSON_DEPTH = 64;

/** What the fold gives for a value that was erased is an object with this key; no value from outside may have it. */
export const ERASED_KEY = '$erased';
