import { memberOf, tokensOf, valueAt } from '../json/pointer.ts';
import { isJsonObject, type JsonValue } from '../json/value.ts';

/** What stands for a sensitive value in every view. */
export const MASK = '***';

/**
 * The value with what the JSON pointers lead to masked; what is not there is no cause for anything. A text on the way to
 * a pointer is masked whole, as it may hold the value in another writing (an object given as text). The value itself is not changed.
 */
export function masked(value: JsonValue, pointers: readonly string[]): JsonValue {
  return pointers.reduce<JsonValue>((current, pointer) => maskAt(current, tokensOf(pointer)), value);
}

function maskAt(value: JsonValue, [token, ...rest]: readonly string[]): JsonValue {
  if (token === undefined || typeof value === 'string') return MASK;
  const member = memberOf(value, token);
  if (member === undefined) return value;
  const hidden = maskAt(member, rest);
  if (hidden === member) return value;
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === token ? hidden : item));
  return { ...(value as { readonly [key: string]: JsonValue }), [token]: hidden };
}

/** Whether the text says something that stands at one of the pointers. A text of one or two characters is said by chance. */
export function saysSensitive(text: string, value: JsonValue, pointers: readonly string[]): boolean {
  return pointers.some(pointer => {
    const found = valueAt(value, pointer);
    return found !== undefined && scalarsOf(found).some(scalar => scalar.length > 2 && text.includes(scalar));
  });
}

function scalarsOf(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(scalarsOf);
  return isJsonObject(value) ? Object.values(value).flatMap(scalarsOf) : [String(value)];
}
