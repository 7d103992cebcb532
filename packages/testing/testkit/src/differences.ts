import { isJsonObject, type JsonValue, pointerTo } from '@signalbox/kernel';

const LONGEST = 60;

/** Where two values differ, in words: `/messages/0/text was "Hello", is "Hi"`. */
export function differences(before: JsonValue | undefined, after: JsonValue | undefined, at = ''): string[] {
  if (before === undefined) return [`${at || '/'} was not there, is ${short(after!)}`];
  if (after === undefined) return [`${at || '/'} was ${short(before)}, is not there`];
  const [one, other] = [membersOf(before), membersOf(after)];
  if (one === undefined || other === undefined || Array.isArray(before) !== Array.isArray(after))
    return before === after ? [] : [`${at || '/'} was ${short(before)}, is ${short(after)}`];
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return keys.flatMap(key => differences(own(one, key), own(other, key), pointerTo(at, key)));
}

function membersOf(value: JsonValue): Readonly<Record<string, JsonValue>> | undefined {
  return Array.isArray(value) || isJsonObject(value) ? (value as Readonly<Record<string, JsonValue>>) : undefined;
}

function own(members: Readonly<Record<string, JsonValue>>, key: string): JsonValue | undefined {
  return Object.hasOwn(members, key) ? members[key] : undefined;
}

function short(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
