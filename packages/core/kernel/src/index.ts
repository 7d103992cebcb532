export { isSignalboxError, SignalboxError } from './error/error.ts';
export { type Fault, pointerTo } from './error/fault.ts';
export type { Commit, Principal, StoredEvent } from './event/commit.ts';
export type { AnswerEntry, DecisionData, ErrorData } from './event/run-event.ts';
export type { ExprResult } from './expression/evaluate.ts';
export { type ExprProperty, ExprType } from './expression/expr-type.ts';
export {
  type CompiledExpression,
  compileExpression,
  type ExprEnv,
  type Expression,
} from './expression/expression.ts';
export type { ExpressionFault } from './expression/expression-fault.ts';
export { typeOfSchema } from './expression/schema-type.ts';
export type {
  AskNode,
  DecidesDefinition,
  FailNode,
  GraphDefinition,
  GraphLimits,
  HandlerReference,
  JoinMode,
  JoinNode,
  MapNode,
  NodeCommon,
  NodeDefinition,
  NodeType,
  Outcome,
  Reducer,
  RetryPolicy,
  RouteDefinition,
  StateKeyDefinition,
  StepNode,
  SubgraphNode,
  Templated,
  TransformNode,
  WaitFor,
  WaitNode,
} from './graph/definition.ts';
export { END } from './graph/definition.ts';
export type { GraphCode, Program } from './graph/program.ts';
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
export type {
  Action,
  DeadlineDefinition,
  Gap,
  RequestDefinition,
  RequestKind,
  ResumeDefinition,
} from './request/definition.ts';
export type { BranchResult, GivenAnswer, NodeOutcome } from './run/run.ts';
export type { Validation, Validator } from './schema/validator.ts';
export { formatDuration, parseDuration } from './time/duration.ts';
export { formatInstant, isCalendarDate, isDateTime, isValidZone, parseInstant } from './time/instant.ts';
