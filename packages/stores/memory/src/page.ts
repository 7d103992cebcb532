import { type Page, storeErrors } from '@signalbox/ports';

/** A place in a list that is ordered by a number and then by an id. */
interface Place {
  readonly at: number;
  readonly id: string;
}

/** Sorts, skips to behind the cursor and cuts. `direction` 1: smallest first, -1: largest first. */
export function toPage<Row>(
  rows: Row[],
  placeOf: (row: Row) => Place,
  direction: 1 | -1,
  { after, limit = 100 }: { readonly after?: string; readonly limit?: number },
): Page<Row> {
  const start = after === undefined ? undefined : fromCursor(after);
  const left = start === undefined ? rows : rows.filter(row => direction * compare(placeOf(row), start) > 0);
  left.sort((a, b) => direction * compare(placeOf(a), placeOf(b)));
  const page = left.slice(0, limit);
  const last = page.at(-1);
  return { rows: page, next: last !== undefined && left.length > page.length ? toCursor(placeOf(last)) : undefined };
}

function compare(a: Place, b: Place): number {
  if (a.at !== b.at) return a.at < b.at ? -1 : 1;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}

function toCursor({ at, id }: Place): string {
  return `${at}:${id}`;
}

function fromCursor(cursor: string): Place {
  const colon = cursor.indexOf(':');
  const at = Number(cursor.slice(0, colon));
  if (colon < 1 || !Number.isSafeInteger(at)) throw storeErrors.invalidCursor(cursor);
  return { at, id: cursor.slice(colon + 1) };
}
