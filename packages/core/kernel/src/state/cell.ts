import type { JsonObject, JsonValue } from '../json/value.ts';

/**
 * A list that grows at its end. Versions share one backing array; each sees its own `length`.
 *  1. An append to the newest version pushes in place (O(items added)). So does one of what a newer version, made to try
 *     something out or by a branch, appended already. Any other append to an older version copies first.
 *  2. `items[0 … length)` never changes, so the pieces of a snapshot can be named once and reused.
 */
export class ListCell {
  readonly #items: JsonValue[];
  readonly length: number;
  #view: readonly JsonValue[] | undefined;

  private constructor(items: JsonValue[], length: number) {
    this.#items = items;
    this.length = length;
  }

  static of(items: readonly JsonValue[]): ListCell {
    return new ListCell(items.slice(), items.length);
  }

  /** A version of a backing array that others share; the array must not be changed but by `append`. */
  static share(items: JsonValue[], length: number): ListCell {
    return new ListCell(items, length);
  }

  append(added: readonly JsonValue[]): ListCell {
    if (this.#continuesWith(added)) return new ListCell(this.#items, this.length + added.length);
    const items = this.#items.length === this.length ? this.#items : this.#items.slice(0, this.length);
    for (const item of added) items.push(item);
    return new ListCell(items, items.length);
  }

  #continuesWith(added: readonly JsonValue[]): boolean {
    if (this.#items.length < this.length + added.length) return false;
    for (let index = 0; index < added.length; index += 1)
      if (this.#items[this.length + index] !== added[index]) return false;
    return true;
  }

  /** A frozen copy, made once per version and only when somebody looks. */
  toList(): readonly JsonValue[] {
    this.#view ??= Object.freeze(this.#items.slice(0, this.length));
    return this.#view;
  }

  slice(from: number, to: number): JsonValue[] {
    return this.#items.slice(from, Math.min(to, this.length));
  }

  /** The shared backing array, as the identity of one growing list. Its items beyond `length` belong to newer versions. */
  get backing(): readonly JsonValue[] {
    return this.#items;
  }
}

export type Cell = JsonValue | ListCell;

/** The state of one scope at one moment. Never changed in place. */
export type StateView = Readonly<Record<string, Cell>>;

export function cellValue(cell: Cell): JsonValue {
  return cell instanceof ListCell ? cell.toList() : cell;
}

/** The whole state as JSON; lists are copied only when read. */
export function stateObject(view: StateView): JsonObject {
  const object: Record<string, JsonValue> = {};
  for (const key of Object.keys(view)) {
    const cell = view[key]!;
    if (cell instanceof ListCell) Object.defineProperty(object, key, { enumerable: true, get: () => cell.toList() });
    else object[key] = cell;
  }
  return Object.freeze(object);
}

export function toStateView(object: JsonObject): StateView {
  const view: Record<string, Cell> = {};
  for (const [key, value] of Object.entries(object)) view[key] = value;
  return view;
}
