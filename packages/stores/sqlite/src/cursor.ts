import { storeErrors } from '@signalbox/ports';

/** A place in a list that is ordered by a time and then by a row id. */
export interface ListPlace {
  readonly at: number;
  readonly id: number;
}

export function toCursor({ at, id }: ListPlace): string {
  return `${at}:${id}`;
}

export function fromCursor(cursor: string): ListPlace {
  const [, at, id] = /^(-?\d{1,16}):(\d{1,16})$/.exec(cursor) ?? [];
  if (at === undefined || id === undefined) throw storeErrors.invalidCursor(cursor);
  return { at: Number(at), id: Number(id) };
}
