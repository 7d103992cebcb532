import type { ExprType } from './expr-type.ts';

/** A text that is compared with an enum that does not have it, and what the enum has. */
export interface Stranger {
  readonly text: string;
  readonly known: readonly string[];
}

/** Of `a == b`: the text written down, when the two have no value in common. */
export function strangerInEquality(a: ExprType, b: ExprType): Stranger | undefined {
  if (a.kind !== 'string' || b.kind !== 'string' || !a.values || !b.values) return undefined;
  const [written, known] = a.values.length <= b.values.length ? [a.values, b.values] : [b.values, a.values];
  const [text] = written;
  return text === undefined || written.some(value => known.includes(value)) ? undefined : { text, known };
}

/** Of `a in [b, …]` with the list written down: the first of its texts that `a` cannot have. */
export function strangerInList(a: ExprType, items: ExprType): Stranger | undefined {
  if (a.kind !== 'string' || items.kind !== 'string' || !a.values || !items.values) return undefined;
  const known = a.values;
  const text = items.values.find(value => !known.includes(value));
  return text === undefined ? undefined : { text, known };
}
