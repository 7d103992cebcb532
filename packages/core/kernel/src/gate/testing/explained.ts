import { pointerTo } from '../../error/fault.ts';
import { isJsonObject, type JsonValue } from '../../json/value.ts';

/** Pointers at which two values differ, but for those at or below which a change is named. */
export function unexplained(before: JsonValue, after: JsonValue, named: ReadonlySet<string>, pointer = ''): string[] {
  if (named.has(pointer)) return [];
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((item, i) => unexplained(item, after[i], named, pointerTo(pointer, i)));
  }
  if (!isJsonObject(before) || !isJsonObject(after)) return Object.is(before, after) ? [] : [pointer];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap(key => {
    const place = pointerTo(pointer, key);
    if (Object.hasOwn(before, key) && Object.hasOwn(after, key))
      return unexplained(before[key]!, after[key]!, named, place);
    return named.has(place) ? [] : [place];
  });
}
