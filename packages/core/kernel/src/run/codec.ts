import type { JsonObject, JsonValue } from '../json/value.ts';
import { ListCell } from '../state/cell.ts';
import type { Run } from './run.ts';

/**
 * A run, or a part of it, as JSON and back.
 *  1. Growing lists stand apart, once per backing array, so a snapshot can keep their pieces by reference.
 *  2. An object met more than once is written once: state that several tokens share stays shared.
 *  3. Keys that begin with `$` mark; user data with such keys is written as `$o`.
 */
export interface EncodedRun {
  readonly body: JsonObject;
  /** One per backing array; the body names them by index. */
  readonly lists: readonly ListCell[];
}

/** Raised when what is encoded changes its shape; a snapshot of another number is ignored. */
export const RUN_FORMAT = 1;

export function encodeRun(run: Run | Partial<Run>): EncodedRun {
  const encoder = new Encoder();
  encoder.count(run);
  const root = encoder.encode(run);
  return { body: { root, shared: encoder.shared }, lists: encoder.lists };
}

class Encoder {
  readonly lists: ListCell[] = [];
  readonly shared: JsonValue[] = [];
  readonly #listIndex = new Map<object, number>();
  readonly #seen = new Map<object, number>();
  readonly #ids = new Map<object, number>();

  count(value: unknown): void {
    if (typeof value !== 'object' || value === null || value instanceof ListCell) return;
    const times = (this.#seen.get(value) ?? 0) + 1;
    this.#seen.set(value, times);
    if (times > 1) return;
    const parts = value instanceof Map ? value.values() : Object.values(value);
    for (const part of parts) this.count(part);
  }

  encode(value: unknown): JsonValue {
    if (typeof value !== 'object' || value === null) return value as JsonValue;
    if (value instanceof ListCell) return { $l: [this.#list(value), value.length] };
    if ((this.#seen.get(value) ?? 0) < 2 || isEmpty(value)) return this.#plain(value);
    let id = this.#ids.get(value);
    if (id === undefined) {
      const plain = this.#plain(value);
      id = this.shared.push(plain) - 1;
      this.#ids.set(value, id);
    }
    return { $r: id };
  }

  #plain(value: object): JsonValue {
    if (Array.isArray(value)) return value.map(item => this.encode(item));
    if (value instanceof Map) return { $m: [...value].map(([key, item]) => [key as JsonValue, this.encode(item)]) };
    const entries = Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [key, this.encode(item)] as const);
    if (entries.some(([key]) => key.startsWith('$'))) return { $o: entries };
    return Object.fromEntries(entries);
  }

  /** The longest version stands for its backing array. */
  #list(cell: ListCell): number {
    const known = this.#listIndex.get(cell.backing);
    if (known === undefined) {
      this.#listIndex.set(cell.backing, this.lists.push(cell) - 1);
      return this.lists.length - 1;
    }
    if (cell.length > this.lists[known]!.length) this.lists[known] = cell;
    return known;
  }
}

function isEmpty(value: object): boolean {
  return value instanceof Map ? value.size === 0 : Object.keys(value).length === 0;
}

/** `lists[n]` holds the items of the n-th list; the arrays become the backing of the decoded cells. */
export function decodeRun<Part extends Run | Partial<Run> = Run>(
  body: JsonObject,
  lists: readonly JsonValue[][],
): Part {
  const shared = body.shared as readonly JsonValue[];
  const made: unknown[] = [];
  const decode = (value: JsonValue): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(decode);
    const object = value as JsonObject;
    if (object.$l !== undefined) {
      const [index, length] = object.$l as readonly [number, number];
      return ListCell.share(lists[index]!, length);
    }
    if (object.$r !== undefined) {
      const id = object.$r as number;
      made[id] ??= decode(shared[id]!);
      return made[id];
    }
    if (object.$m !== undefined)
      return new Map(
        (object.$m as readonly (readonly [JsonValue, JsonValue])[]).map(([key, item]) => [key, decode(item)]),
      );
    const entries =
      object.$o === undefined ? Object.entries(object) : (object.$o as readonly (readonly [string, JsonValue])[]);
    return Object.fromEntries(entries.map(([key, item]) => [key, decode(item)]));
  };
  return decode(body.root!) as Part;
}
