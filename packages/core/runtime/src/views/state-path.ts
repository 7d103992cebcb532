import {
  cellValue,
  hasKey,
  isJsonObject,
  type JsonValue,
  jsonEqual,
  ListCell,
  SignalboxError,
  type StateView,
} from '@signalbox/kernel';

/** A place in the state: the key, then members and indexes. */
export interface StatePath {
  readonly key: string;
  readonly rest: readonly string[];
}

/**
 * Reads `amount`, `order.lines.0`, `trail/0` or a JSON pointer (`/trail/0`, with `~1` for `/` and `~0` for `~`).
 *
 * @throws SignalboxError `InvalidPath`
 */
export function parseStatePath(text: string): StatePath {
  const [key, ...rest] = partsOf(text);
  if (key !== undefined && key !== '' && !rest.includes('')) return { key, rest };
  throw new SignalboxError('InvalidPath', `${JSON.stringify(text)} names no place in the state.`, {
    hint: 'Write amount, order.lines.0, trail/0 or a JSON pointer as in /trail/0.',
  });
}

function partsOf(text: string): string[] {
  if (text.startsWith('/'))
    return text
      .slice(1)
      .split('/')
      .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return text.split(text.includes('/') ? '/' : '.');
}

/** What stands at a path in one moment. Holds on to the state of then at no cost; `value` is made when it is read. */
export interface StatePlace {
  readonly present: boolean;
  readonly value: JsonValue | undefined;
}

type Cell = StateView[string];

export function placeIn(
  state: StateView | undefined,
  path: StatePath,
): StatePlace & { readonly cell: Cell | undefined } {
  const cell = state !== undefined && hasKey(state, path.key) ? state[path.key] : undefined;
  const found = cell === undefined ? undefined : within(cell, path.rest);
  return {
    present: found !== undefined,
    cell: found,
    get value() {
      return found === undefined ? undefined : cellValue(found);
    },
  };
}

function within(cell: Cell, rest: readonly string[]): Cell | undefined {
  let current: Cell | undefined = cell;
  for (const part of rest) {
    if (current === undefined) return undefined;
    current = member(current, part);
  }
  return current;
}

function member(cell: Cell, part: string): Cell | undefined {
  if (cell instanceof ListCell || Array.isArray(cell)) {
    if (!/^(?:0|[1-9]\d*)$/.test(part)) return undefined;
    const index = Number(part);
    return (cell as ListCell | readonly JsonValue[]).slice(index, index + 1)[0];
  }
  return isJsonObject(cell) && hasKey(cell, part) ? cell[part] : undefined;
}

/** Growing lists that share their items differ by their length alone. */
export function samePlace(a: ReturnType<typeof placeIn>, b: ReturnType<typeof placeIn>): boolean {
  if (a.cell === b.cell) return true;
  if (a.cell === undefined || b.cell === undefined) return false;
  if (a.cell instanceof ListCell && b.cell instanceof ListCell) {
    if (a.cell.length !== b.cell.length) return false;
    if (a.cell.backing === b.cell.backing) return true;
  }
  return jsonEqual(cellValue(a.cell), cellValue(b.cell));
}
