import type { JsonValue } from '../../json/value.ts';

/** A constraint of one schema that another one cannot be shown to keep. */
export interface Loosening {
  /** JSON pointer of the place, references followed. */
  readonly pointer: string;
  /** Of the constraint; `undeclared` stands for a property that is no longer spoken of. */
  readonly keyword: string;
  /** What the constraint is, and what stands in its place. */
  readonly kept?: JsonValue;
  readonly found?: JsonValue;
}

export function loosening(pointer: string, keyword: string, kept?: JsonValue, found?: JsonValue): Loosening {
  return { pointer, keyword, ...(kept === undefined ? {} : { kept }), ...(found === undefined ? {} : { found }) };
}
