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
export { DANGEROUS_KEYS, hasKey, isJsonObject, type JsonObject, type JsonValue } from './json/value.ts';
