import type { JsonValue } from './value.ts';

/** A value, or CEL that gives it. */
export type Templated<Value extends JsonValue> = Value | { readonly cel: string };
