import { foldCase } from './fold-text.ts';

/** The closed list. A number is no spelling of a boolean; the texts `1` and `0` are. */
const SPELLINGS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'on', '1', '是', '真', '对', '對'].map(word => [word, true] as const),
  ...['false', 'no', 'off', '0', '否', '假', '错', '錯'].map(word => [word, false] as const),
]);

export function readBoolean(text: string): boolean[] {
  const value = SPELLINGS.get(foldCase(text));
  return value === undefined ? [] : [value];
}
