import type { SqliteValue } from '../driver.ts';

/** A statement and its values. `Row` is what it gives; it exists for the compiler alone. */
export interface Query<Row = unknown> {
  readonly text: string;
  readonly values: readonly SqliteValue[];
  readonly row?: Row;
}

export function query<Row = unknown>(text: string, ...values: readonly SqliteValue[]): Query<Row> {
  return { text, values };
}
