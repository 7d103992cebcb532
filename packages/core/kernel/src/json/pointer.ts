import { hasKey, isJsonObject, type JsonValue } from './value.ts';

/** The reference tokens of an RFC 6901 pointer: none of `''`, the whole value. */
export function tokensOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map(token => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** What stands at the pointer; undefined where nothing does. */
export function valueAt(value: JsonValue, pointer: string): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const token of tokensOf(pointer)) found = found === undefined ? undefined : memberOf(found, token);
  return found;
}

const INDEX = /^(?:0|[1-9]\d*)$/;

/** The element or own member that a reference token names. */
export function memberOf(value: JsonValue, token: string): JsonValue | undefined {
  if (Array.isArray(value)) return INDEX.test(token) ? value[Number(token)] : undefined;
  return isJsonObject(value) && hasKey(value, token) ? value[token] : undefined;
}
