import type { JsonObject, JsonValue } from '../json/value.ts';
import type { Issue } from './issue.ts';

export type Validation =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/**
 * A schema made ready for use, whatever library it came from. `json` is the JSON Schema 2020-12 of what is accepted,
 * `stored` that of what `validate` gives back (another one only where a library's schema transforms).
 * `validate` never changes its argument and gives all issues at once; what it gives back is what is stored.
 */
export interface Validator {
  readonly json: JsonObject;
  readonly stored: JsonObject;
  validate(value: JsonValue): Validation;
}
