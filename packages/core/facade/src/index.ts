export {
  type ContractChange,
  type ContractDefinition,
  type ContractTypes,
  contractHash,
  contractSchema,
  type Display,
  diffContracts,
  type Field,
  isSignalboxError,
  type ProjectedRequest,
  parseStrictJson,
  requestFromSchema,
  SignalboxError,
  schemaFromRequest,
  type ToolApproval,
  type ToolContract,
  validateValue,
} from '@signalbox/kernel';
export type {
  DeliveredRequest,
  DeliveryAttempt,
  DeliveryChannel,
  DeliveryMessage,
  DeliveryOutcome,
  DeliveryType,
  FoundMemory,
  Identity,
  KeyRing,
  LongTermMemory,
  MemoryOwner,
  MemoryQuery,
  ModelCallOptions,
  ModelErrorCode,
  ModelMessage,
  ModelPort,
  ModelReply,
  ModelRequest,
  ModelTool,
  ModelToolCall,
  ModelUsage,
  SecretSource,
} from '@signalbox/ports';
export {
  answersText,
  type BlameRow,
  blame,
  type Commits,
  createKeyRing,
  type DecisionRow,
  type DeliveryQuery,
  type DeliveryRow,
  type Departure,
  decisions,
  keyFileOf,
  type Language,
  type LookedGuard,
  localKeys,
  type MessageQuery,
  type NodeView as NodeVisit,
  nodeVisits,
  type Point,
  type ProgramOf,
  type ReExecution,
  type RequestView,
  type Resolver,
  type Resolvers,
  type RouteRow,
  readCommits,
  type SessionMessage,
  type SessionNow,
  type SessionState,
  type SessionStatus,
  type TimelineRow,
  timeline,
  trail,
  type WhileOpen,
  type Why,
  type WhyRow,
  why,
  whyText,
} from '@signalbox/runtime';
export type { Act } from './box/act.ts';
export { BOX_OPTIONS, type BoxOptions, isRunnable } from './box/box-options.ts';
export { Deliveries, type RequestListener } from './box/deliveries.ts';
export type { DeliverySelection, ListenerOptions } from './box/delivery-options.ts';
export type { Logger } from './box/end-lines.ts';
export type { FeedEntry, FeedEvent } from './box/feed.ts';
export { MemoryHandle, type MemoryOf } from './box/memory-handle.ts';
export { type Actor, toPrincipal } from './box/principal.ts';
export {
  type RunEventRow,
  RunHandle,
  type RunStatusView,
  type StreamRow,
  type TextRow,
} from './box/run-handle.ts';
export {
  type SentMessage,
  SessionHandle,
  SessionsOfBox,
} from './box/session-handle.ts';
export type { OpenSessionOptions, SendOptions } from './box/session-options.ts';
export { Signalbox } from './box/signalbox.ts';
export type { StartOptions } from './box/start-options.ts';
export type { AgentOptions } from './builder/agent.ts';
export type { AgentParts, BridgeOfNode, PromptOf, ToolCode } from './builder/agent-parts.ts';
export { type AgentSettings, type AgentTypeOptions, agentType } from './builder/agent-type.ts';
export type {
  CompensationContext,
  Decision,
  NodeContext,
  NodeTypeContext,
  NodeView,
  Operations,
  OperationTools,
  RunOperation,
  RunOptions,
  RunView,
  SessionContext,
  Wait,
} from './builder/context.ts';
export type { ContractChoice } from './builder/contract-use.ts';
export { defineGraph, type GraphOptions } from './builder/define-graph.ts';
export {
  type Graph,
  type GraphInput,
  type GraphOutput,
  type GraphShape,
  type GraphState,
  isGraph,
} from './builder/graph.ts';
export type { GraphBuilder } from './builder/graph-builder.ts';
export { type GraphFromDefinitionOptions, graphFromDefinition } from './builder/graph-from-definition.ts';
export type { GraphTypes } from './builder/graph-types.ts';
export type { Handler, HandlerEnd, HandlerFor } from './builder/handler.ts';
export type { AskAtLimit, GraphLimitOptions, NodeLimitOptions } from './builder/limits.ts';
export type { NodeSpec } from './builder/node-spec.ts';
export { declarationsOf, defineNodeType, type NodeType } from './builder/node-type.ts';
export { append, max, merge, min, replace, sum } from './builder/reducers.ts';
export type {
  Answer,
  AskRequest,
  AskWithForm,
  AskWithOptions,
  Chosen,
  Deadline,
  EscalationTarget,
  Option,
  Resume,
} from './builder/request.ts';
export { requestCodec } from './builder/request-codec.ts';
export { toRequestDefinition } from './builder/request-definition.ts';
export {
  type FailedResult,
  failed,
  type HandlerResult,
  isHandlerResult,
  isPermanent,
  type NextResult,
  next,
  permanent,
  type RetryResult,
  retry,
  type SkippedResult,
  skipped,
} from './builder/result.ts';
export type { GuardView, RouteOptions } from './builder/routes.ts';
export type { AnyState, DeepReadonly, StateTypes, StateTypesOf } from './builder/state-types.ts';
export {
  type ConversationBuilder,
  type ConversationOptions,
  type ConversationOutput,
  conversation,
} from './conversation/conversation.ts';
export type { EndCode } from './conversation/find-end.ts';
export { type ModeratorOutput, moderatorType } from './conversation/moderator.ts';
export type { EndRules, ModeratorSettings, PersonRules } from './conversation/moderator-settings.ts';
export { type Turn, transcript } from './conversation/turn.ts';
export { type LoadContractFileOptions, type LoadedContractFile, loadContractFile } from './loader/contract-file.ts';
export { exportContract } from './loader/export-contract.ts';
export { type ExportGraphOptions, exportGraph } from './loader/export-graph.ts';
export { graphSchema } from './loader/graph-schema.ts';
export { type LoadContractOptions, type LoadedContract, loadContract } from './loader/load-contract.ts';
export { type LoadedGraph, type LoadGraphOptions, loadGraph } from './loader/load-graph.ts';
export { type LoadPromptOptions, loadPrompt, type Prompt } from './loader/load-prompt.ts';
export type { LocatedFault } from './loader/located-fault.ts';
export type { NodeTypeDeclaration, NodeTypeRegistry } from './loader/node-type-registry.ts';
export type { TextFormat } from './loader/parse-source.ts';
export { type ReadDocument, type ReadDocumentOptions, readDocument } from './loader/read-document.ts';
