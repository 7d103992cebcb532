import type { JsonValue } from '../../json/value.ts';

/** The closed list of what normalization does; what each does is told in `docs/guides/tool-gate.md`. */
export type NormalizeRule =
  | 'numberFromText'
  | 'integerFromText'
  | 'booleanFromText'
  | 'nullFromText'
  | 'listFromText'
  | 'objectFromText'
  | 'enumMember'
  | 'date'
  | 'dateTime'
  | 'dateTimeInZone'
  | 'int64'
  | 'nullAsAbsent';

/**
 * One way to read a value by its declared type. Readers give every way there is: none means that this is no spelling of the
 * type, several distinct ones that it is ambiguous. In both cases the value stays as it was.
 */
export interface Reading {
  readonly value: JsonValue;
  readonly rule: NormalizeRule;
}

export interface ReadOptions {
  /** IANA zone of dates and times without an offset. Absent: they are not read. */
  readonly zone?: string;
}
