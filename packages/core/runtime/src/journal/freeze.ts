import { assertJsonValue, type JsonValue } from '@signalbox/kernel';

/**
 * A value from user code as the engine keeps it: checked, copied and frozen, so that nobody who still holds the
 * original, or reads the copy, can change what is recorded.
 *
 * @throws SignalboxError `InvalidValue` naming the path.
 */
export function recorded(value: unknown, what: string): JsonValue {
  return frozenCopy(value === undefined ? null : assertJsonValue(value, what));
}

function frozenCopy(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy));
  const copy: Record<string, JsonValue> = {};
  for (const [key, item] of Object.entries(value)) copy[key] = frozenCopy(item);
  return Object.freeze(copy);
}
