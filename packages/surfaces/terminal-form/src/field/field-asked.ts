import type { Field, JsonValue } from '@signalbox/kernel';

export interface FieldAsked<Of extends Field = Field> {
  readonly field: Of;
  /** What stands there already. */
  readonly standing: JsonValue | undefined;
  readonly isProposed: boolean;
}
