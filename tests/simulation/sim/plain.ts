import { ListCell } from '@signalbox/kernel';

/** Anything as text with its keys in order, so that two can be compared. */
export function plainText(value: unknown): string {
  return JSON.stringify(plain(value));
}

function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof ListCell) return value.toList().map(plain);
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return [...value].map(([key, item]) => [key, plain(item)]);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, item]) => [key, plain(item)]),
  );
}

export function firstDifference(one: string, other: string): string {
  let from = 0;
  while (one[from] === other[from] && from < one.length) from += 1;
  const around = (text: string) => text.slice(Math.max(0, from - 100), from + 150);
  return `  ${around(one)}\n  ${around(other)}`;
}
