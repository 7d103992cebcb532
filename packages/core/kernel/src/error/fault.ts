/**
 * One thing wrong with a definition, a form or a value. Faults are collected, never thrown one by one.
 * `pointer` is a JSON pointer into what was checked (`/nodes/review/request/fields/0/options`); the loader of a file
 * turns it into line and column. `offset` is a 0-based character offset inside the text at `pointer` (an expression).
 */
export interface Fault {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly pointer: string;
  readonly message: string;
  readonly hint?: string;
  readonly offset?: number;
}

/** Appends one RFC 6901 reference token to a JSON pointer. */
export function pointerTo(base: string, key: string | number): string {
  return `${base}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
