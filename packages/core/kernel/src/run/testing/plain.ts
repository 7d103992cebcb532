import { ListCell } from '../../state/cell.ts';

/** A run as plain JSON with its keys in order, so that two of them can be compared as text. */
export function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof ListCell) return value.toList().map(plain);
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return [...value].map(([key, item]) => [key, plain(item)]);
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(
    entries.sort(([one], [other]) => (one < other ? -1 : 1)).map(([key, item]) => [key, plain(item)]),
  );
}

export function plainText(value: unknown): string {
  return JSON.stringify(plain(value));
}
