export type { Amounts, BudgetDefinition, Money } from './budget/amounts.ts';
export { type BudgetLeft, leftBeside } from './budget/budget-left.ts';
export { compileBudget } from './budget/compile-budget.ts';
export {
  addDecimals,
  compareDecimals,
  isDecimalText,
  negated,
  scaleDecimal,
  toUnits,
} from './budget/decimal-text.ts';
export { type BudgetLimit, difference, NOTHING_USED, overBudget, type Usage, withAmounts } from './budget/usage.ts';
export { checkContract } from './contract/check-contract.ts';
export { compileContract } from './contract/compile-contract.ts';
export { type CompiledText, compileText } from './contract/compile-text.ts';
export type {
  BoundArgument,
  CompiledContract,
  CompiledOutputRule,
  CompiledPrompt,
  CompiledRule,
  CompiledTool,
} from './contract/compiled-contract.ts';
export type {
  CallRule,
  ContractBudgets,
  ContractDefinition,
  DynamicPrompt,
  OutputRule,
  ToolApproval,
  ToolContract,
  ToolLimits,
} from './contract/definition.ts';
export type { ContractChange } from './contract/diff/change.ts';
export { diffContracts } from './contract/diff/diff-contracts.ts';
export { contractDocument } from './contract/document/contract-document.ts';
export { contractSchema } from './contract/document/contract-shape.ts';
export type { ContractTypes } from './contract/environment.ts';
export { hashOf as contractHash } from './contract/normalize.ts';
export { type ReadContract, type ReadContractOptions, readContract } from './contract/read-contract.ts';
export type { TextResult, TextTemplate } from './contract/text-template.ts';
export { isSignalboxError, SignalboxError } from './error/error.ts';
export { type Fault, pointerTo } from './error/fault.ts';
export type { Commit, Principal, StoredEvent } from './event/commit.ts';
export type { MemoryEntry, MemoryScope } from './event/memory-entry.ts';
export { assertPrincipal, mayAnswer, parsePrincipal } from './event/principal.ts';
export type {
  AnswerEntry,
  Change,
  DecisionData,
  EffectClass,
  ErrorData,
  LaterOperation,
  LookedRoute,
  MessageRole,
  NodeRef,
  OpKind,
  OpRef,
  RunEvent,
  RunEvents,
  RunEventType,
  UndoableCall,
  WaitData,
  Wish,
} from './event/run-event.ts';
export type { SessionView } from './event/session-view.ts';
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
export {
  type BridgedResult,
  type BridgeOptions,
  bridgeResult,
} from './gate/bridge-result.ts';
export { codeOverBudget, costOf } from './gate/check-budget.ts';
export { type CheckedResult, checkResult } from './gate/check-result.ts';
export { type CompensatingCall, compensatingCall } from './gate/compensating-call.ts';
export { judgeCall } from './gate/judge-call.ts';
export type {
  GateFacts,
  GateStage,
  GateStageName,
  JudgedCall,
  Judgement,
  Refusal,
  RefusalCode,
  ToolCall,
  ToolHistory,
} from './gate/judgement.ts';
export { masked } from './gate/masked.ts';
export {
  createNormalizer,
  type NormalizeChange,
  type Normalized,
  type Normalizer,
} from './gate/normalize/normalizer.ts';
export type { NormalizeRule, ReadOptions } from './gate/normalize/reading.ts';
export { type OfferedTools, offeredTools, type Withheld } from './gate/offered-tools.ts';
export type { GateOptions } from './gate/options.ts';
export { hasParts, type SensitiveParts } from './gate/sensitive-parts.ts';
export type { ToolResult } from './gate/tool-result.ts';
export { checkRequestShape } from './graph/check/check-request.ts';
export { type Compilation, checkDefinition, compileGraph, loadProgram } from './graph/compile.ts';
export type {
  AskNode,
  DecidesDefinition,
  FailNode,
  GraphDefinition,
  GraphLimits,
  HandlerReference,
  JoinMode,
  JoinNode,
  LimitDeadline,
  LimitQuestion,
  MapNode,
  NodeCommon,
  NodeDefinition,
  NodeLimits,
  NodeType,
  OnReached,
  Outcome,
  Reducer,
  RetryPolicy,
  RouteDefinition,
  StateKeyDefinition,
  StepNode,
  SubgraphNode,
  TransformNode,
  WaitFor,
  WaitNode,
} from './graph/definition.ts';
export { END } from './graph/definition.ts';
export { toMermaid } from './graph/diagram.ts';
export { normalizeDefinition, versionHash } from './graph/normalize.ts';
export type {
  CompiledNode,
  CompiledRequest,
  CompiledStateKey,
  CompiledWait,
  GraphCode,
  Program,
} from './graph/program.ts';
export { requestFromSchema } from './graph/request-from-schema.ts';
export { canonicalJson } from './json/canonical.ts';
export { digestOf, sha256Hex, shortId } from './json/digest.ts';
export { jsonEqual } from './json/equal.ts';
export type { JsonRefusal } from './json/json-scanner.ts';
export { parseStrictJson, type StrictJsonLimits } from './json/strict-json.ts';
export type { Templated } from './json/templated.ts';
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
export {
  ANYTHING,
  checkOptions,
  FLAG,
  FUNCTION,
  hasMethods,
  invalidArgument,
  isObject,
  listOf,
  milliseconds,
  NUMBER,
  OBJECT,
  type OptionKind,
  type OptionKinds,
  oneOf,
  STRING,
  TEXT,
  wholeNumber,
  withMethods,
} from './options/option-kinds.ts';
export { toAction } from './request/action.ts';
export { checkDisplays } from './request/check-displays.ts';
export type { FieldChecks } from './request/check-field.ts';
export { checkFields } from './request/check-fields.ts';
export { isMultipleOf } from './request/decimal.ts';
export type {
  Action,
  DeadlineDefinition,
  EscalationStep,
  Gap,
  RememberDefinition,
  RequestDefinition,
  RequestKind,
  ResumeDefinition,
  RuleDefinition,
} from './request/definition.ts';
export {
  DISPLAY_TYPES,
  type DiffDisplay,
  type Display,
  type DisplayType,
  type JsonDisplay,
  type TableColumn,
  type TableDisplay,
  type TextDisplay,
} from './request/display.ts';
export {
  type BooleanField,
  type ChoiceField,
  type DateField,
  FIELD_TYPES,
  type Field,
  type FieldOption,
  type FieldType,
  type ManyField,
  MOST_FIELDS,
  type NumberField,
  type OptionValue,
  type TextField,
} from './request/field.ts';
export { fieldsFromSchema } from './request/fields-from-schema.ts';
export { isShown } from './request/is-shown.ts';
export { isExpired, mayRecall, outsideScope } from './request/remember.ts';
export { brokenRules, type Rule } from './request/rules.ts';
export { FIELD_HINTS, schemaFromFields } from './request/schema-from-fields.ts';
export { type ProjectedRequest, schemaFromRequest } from './request/schema-from-request.ts';
export type { ShownValue, ShownValues } from './request/shown-values.ts';
export { storedValue, validateValue } from './request/validate-value.ts';
export { type ValuesOptions, type ValuesResult, validateValues } from './request/validate-values.ts';
export { answerOutput } from './run/answer-output.ts';
export { askedDisplays, askedFields, zoneOf } from './run/asked.ts';
export type { Bound } from './run/bound.ts';
export { budgetLeft, heldOn, timesOf } from './run/bounds.ts';
export { decodeRun, type EncodedRun, encodeRun, RUN_FORMAT } from './run/codec.ts';
export type {
  Command,
  CommandBody,
  DriverCommand,
  FirstMember,
  OpReport,
  OutsideCommand,
  SessionWrites,
  StartCommand,
  TaskEnd,
  Update,
  WakeTime,
} from './run/command.ts';
export { bindings, graphInput, visibleAnswers, visibleNodes } from './run/decide/bindings.ts';
export { type Decision, decide, decideOn, nextTick, transition } from './run/decide/decide.ts';
export { isExecuting, runExecutes } from './run/decide/executing.ts';
export { hasFurtherAttempt } from './run/decide/further-attempt.ts';
export { missingNodes } from './run/decide/migrate.ts';
export { recallKey } from './run/decide/recall.ts';
export { requestIdOf } from './run/decide/request-id.ts';
export { adHocRequest, requestOf } from './run/decide/request-of.ts';
export { NAMES_CHECKS_AT_LENGTH, SEMANTICS, TELLS_CALLS_OF_ATTEMPTS_APART } from './run/decide/semantics.ts';
export { closedError } from './run/decide/target.ts';
export { toDecision } from './run/decide/to-decision.ts';
export { Draft } from './run/draft.ts';
export { applyEvent, evolve, foldCommits } from './run/evolve/evolve.ts';
export { initialState } from './run/evolve/initial-state.ts';
export { fromFrame, toFrame } from './run/frame.ts';
export { CHECK_PREFIX, globalKey, laterKey, nodeKey, opKey } from './run/keys.ts';
export type { Journal, NodeExecution, OpRecord } from './run/node-execution.ts';
export type { Place } from './run/place.ts';
export { handlersOf, ready, type Task } from './run/ready.ts';
export type { RequestState } from './run/request-state.ts';
export { type DoneCall, findRequest, type Run, type RunStatus } from './run/run.ts';
export type { Scope } from './run/scope.ts';
export { NOTHING_SPENT, type Reservation, type Spending } from './run/spending.ts';
export type { BranchResult, GivenAnswer, NodeOutcome, Token } from './run/token.ts';
export { NO_CALLS, type ToolTallies, type ToolTally, toolOfOp, withEnd } from './run/tool-tally.ts';
export { checkJsonSchema } from './schema/check-json-schema.ts';
export { closest } from './schema/closest.ts';
export type { Issue } from './schema/issue.ts';
export { compileJsonSchema } from './schema/json-schema.ts';
export { MASK } from './schema/mask.ts';
export { marksSensitive, maskBySchema } from './schema/mask-by-schema.ts';
export { normalizedSchema } from './schema/normalize.ts';
export { fromStandardSchema } from './schema/standard-schema.ts';
export { type SchemaChange, schemaChanges } from './schema/subset/schema-changes.ts';
export type { Validation, Validator } from './schema/validator.ts';
export { afterWrites } from './state/after-writes.ts';
export { cellValue, ListCell, type StateView, stateObject } from './state/cell.ts';
export { commitMillis, commitTime } from './time/commit-time.ts';
export { formatDuration, parseDuration } from './time/duration.ts';
export { formatInstant, isCalendarDate, isDateTime, isValidZone, parseInstant } from './time/instant.ts';
