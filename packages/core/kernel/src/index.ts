export { isSignalboxError, SignalboxError } from './error/error.ts';
export { type Fault, pointerTo } from './error/fault.ts';
export type { Commit, Principal, StoredEvent } from './event/commit.ts';
export type { ExprResult } from './expression/evaluate.ts';
export { type ExprProperty, ExprType } from './expression/expr-type.ts';
export {
  type CompiledExpression,
  compileExpression,
  type ExprEnv,
  type Expression,
  type ExpressionFault,
} from './expression/expression.ts';
export { typeOfSchema } from './expression/schema-type.ts';
export { canonicalJson } from './json/canonical.ts';
export { digestOf, sha256Hex, shortId } from './json/digest.ts';
export { jsonEqual } from './json/equal.ts';
export type { JsonRefusal } from './json/json-scanner.ts';
export { parseStrictJson, type StrictJsonLimits } from './json/strict-json.ts';
export {
  assertJsonValue,
  type RefusedValue,
  type ToJsonResult,
  toJsonValue,
  type ValueRefusal,
} from './json/to-json-value.ts';
export {
  DANGEROUS_KEYS,
  hasKey,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MAX_JSON_DEPTH,
} from './json/value.ts';
export { formatDuration, parseDuration } from './time/duration.ts';
export { formatInstant, isCalendarDate, isDateTime, isValidZone, parseInstant } from './time/instant.ts';
