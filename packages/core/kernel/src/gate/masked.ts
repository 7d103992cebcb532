import { memberOf, tokensOf } from '../json/pointer.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { MASK } from '../schema/mask.ts';
import { maskBySchema } from '../schema/mask-by-schema.ts';
import type { SensitiveParts } from './sensitive-parts.ts';

/**
 * The value with its sensitive parts masked; what is not there is no cause for anything. A text on the way to one is
 * masked whole, as it may hold the value in another writing (an object given as text). The value itself is not changed.
 */
export function masked(value: JsonValue, { pointers, schema }: SensitiveParts): JsonValue {
  const marked = schema === undefined ? value : maskBySchema(schema, value, { textsWhole: true });
  return pointers.reduce<JsonValue>((current, pointer) => maskAt(current, tokensOf(pointer)), marked);
}

function maskAt(value: JsonValue, [token, ...rest]: readonly string[]): JsonValue {
  if (token === undefined || typeof value === 'string') return MASK;
  const member = memberOf(value, token);
  if (member === undefined) return value;
  const hidden = maskAt(member, rest);
  if (hidden === member) return value;
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === token ? hidden : item));
  return { ...(value as JsonObject), [token]: hidden };
}

/** Whether the text says something of the value's sensitive parts. A text of one or two characters is said by chance. */
export function saysSensitive(text: string, value: JsonValue, parts: SensitiveParts): boolean {
  return hiddenScalars(value, masked(value, parts)).some(scalar => scalar.length > 2 && text.includes(scalar));
}

/** What is in `value` and not in its masked form. */
function hiddenScalars(value: JsonValue, shown: JsonValue | undefined): string[] {
  if (value === shown) return [];
  if (Array.isArray(value))
    return value.flatMap((item, at) => hiddenScalars(item, Array.isArray(shown) ? shown[at] : MASK));
  if (!isJsonObject(value)) return [String(value)];
  return Object.entries(value).flatMap(([key, member]) =>
    hiddenScalars(member, isJsonObject(shown) ? shown[key] : MASK),
  );
}
