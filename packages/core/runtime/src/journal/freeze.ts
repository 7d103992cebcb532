import { assertJsonValue, type JsonObject, type JsonValue, ListCell, type StateView } from '@signalbox/kernel';

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
  for (const key of Object.keys(value)) copy[key] = frozenCopy((value as JsonObject)[key]!);
  return Object.freeze(copy);
}

/** Objects known to be frozen all through, so that a large state is walked once and not at every step. */
const deep = new WeakSet<object>();

/**
 * A value of the engine as user code may read it: frozen all through, in place. Whoever tries to change it meets a
 * TypeError; what is recorded stays as it is.
 */
export function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || deep.has(value)) return value;
  Object.freeze(value);
  for (const item of Object.values(value)) frozen(item);
  deep.add(value);
  return value;
}

/** Up to where the items of a growing list are frozen, by its backing array: each is walked once, not at every step. */
const frozenUpTo = new WeakMap<object, number>();

/** The state of a scope as user code may read it. A growing list is looked at only when somebody reads it. */
export function frozenView(view: StateView): JsonObject {
  const object: Record<string, JsonValue> = {};
  for (const key of Object.keys(view)) {
    const cell = view[key]!;
    if (cell instanceof ListCell) Object.defineProperty(object, key, { enumerable: true, get: () => frozenList(cell) });
    else object[key] = frozen(cell);
  }
  return Object.freeze(object);
}

function frozenList(cell: ListCell): readonly JsonValue[] {
  const from = frozenUpTo.get(cell.backing) ?? 0;
  for (let index = from; index < cell.length; index += 1) frozen(cell.backing[index]);
  if (cell.length > from) frozenUpTo.set(cell.backing, cell.length);
  return cell.toList();
}
