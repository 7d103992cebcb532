export type { AgentNode } from './agent/agent-node.ts';
export type { AgentTuning } from './agent/agent-spec.ts';
export { Contracts, type PinnedContracts } from './agent/contracts.ts';
export type { ConfidenceThreshold } from './agent/low-confidence.ts';
export type { ModelRecords, PromptVersion } from './agent/request-record.ts';
export {
  type DeliveryChange,
  type DeliveryQuery,
  type DeliveryRow,
  discardDeliveries,
  listDeliveries,
  retryDeliveries,
} from './delivery/deliveries.ts';
export { DELIVERY_LEASE, Publisher } from './delivery/publisher.ts';
export { isDelivered } from './delivery/read-feed.ts';
export type { CommandExtras } from './drive/command-queue.ts';
export { type Check, type CheckVerdict, type Committed, DRIVER, type Observer } from './drive/driver-deps.ts';
export { type AnswerInput, answerRequest, answerRun } from './engine/answer-run.ts';
export { type Effects, type ForkOptions, forkRun, rollbackRun } from './engine/branch-run.ts';
export { isAtWork } from './engine/due-runs.ts';
export { Engine } from './engine/engine.ts';
export type { EngineOptions } from './engine/engine-options.ts';
export { erasePayload } from './engine/erase-payload.ts';
export type { RegisteredGraph } from './engine/graph-registry.ts';
export { ACTIVE, auditStream, Labels } from './engine/labels.ts';
export { type ClaimOptions, claimRequest, releaseRequest, withdrawRequest } from './engine/request-acts.ts';
export { type Resolver, type Resolvers, ServiceResolvers } from './engine/service-resolvers.ts';
export type { StartOptions } from './engine/starts.ts';
export { TextDeltas, type TextFollower } from './engine/text-deltas.ts';
export { unknownRun } from './engine/unknown-run.ts';
export { type CheckedRunFile, checkRunFile, type RunLines } from './integrity/check-run-file.ts';
export { type CompareOptions, compareHistories, type Difference } from './integrity/compare-histories.ts';
export { exportRun } from './integrity/export-run.ts';
export { type HeadLines, headFile } from './integrity/head-file.ts';
export {
  checkHeads,
  type HeadEntry,
  type HeadFinding,
  type HeadReport,
  type WrittenHeads,
  writeHeads,
} from './integrity/heads.ts';
export { type ImportedRows, type ImportedRun, type ImportOptions, importRun } from './integrity/import-run.ts';
export type { ManifestDocument, RunManifest } from './integrity/run-file.ts';
export { runFileLines } from './integrity/run-lines.ts';
export {
  type Finding,
  type FindingCode,
  type StreamReport,
  verifyAll,
  verifyStream,
} from './integrity/verify-stream.ts';
export { answersText, type Language } from './journal/answers-text.ts';
export type { RequestCodec } from './journal/context.ts';
export type { ContractUse } from './journal/handler.ts';
export { senderSchema } from './journal/signal-schema.ts';
export { openCommit, sealText, sha256, toAppend } from './log/commit-codec.ts';
export { erasedValue, isErased, payloadsOf, unknownPayload, withPayloads } from './log/payloads.ts';
export { requestRow, requestRows, runRow } from './log/rows.ts';
export { commitsFrom, type LoadedRun, loadRun, type ReadCommit } from './log/run-log.ts';
export {
  editMemory,
  forgetMemory,
  listMemory,
  type MemoryEdit,
  type MemoryPlace,
} from './memory/change-memory.ts';
export type { Departure } from './re-execution/departure.ts';
export { type Build, type ReExecution, type ReExecutionOptions, reExecute } from './re-execution/re-execute.ts';
export { reExecuteRun } from './re-execution/re-execute-run.ts';
export { KEY_PLACE } from './sensitive/data-key.ts';
export { createKeyRing } from './sensitive/key-ring.ts';
export { KEY_VARIABLE, keyFileOf, localKeys, passingKeys } from './sensitive/local-keys.ts';
export { Opening } from './sensitive/opening.ts';
export { type RewrapFailure, type RewrapReport, rewrapKeys } from './sensitive/rewrap-keys.ts';
export {
  addMessage,
  changeSession,
  type OpenSession,
  openSession,
  type SessionChange,
} from './session/change-session.ts';
export {
  listSessions,
  type MessageQuery,
  type SessionList,
  type SessionNow,
  type SessionState,
  sessionAt,
  sessionMessages,
  sessionNow,
} from './session/read-session.ts';
export { inputOf, type Sent, type SentTo, sendMessage, type WhileOpen } from './session/send-message.ts';
export { isSessionStream, type SessionPlace } from './session/session-id.ts';
export type { SessionMessage } from './session/session-record.ts';
export type { SessionStatus } from './session/session-status.ts';
export { type BlameRow, blame } from './views/blame.ts';
export { type Commits, type CommittedEvent, eventsOf, readCommits } from './views/commits.ts';
export { type DecisionRow, decisions, type LookedGuard, type ProgramOf, type RouteRow } from './views/decisions.ts';
export { type EventRow, eventRows } from './views/event-rows.ts';
export { type Point, seqAt } from './views/instants.ts';
export { type NodeView, nodeView, nodeVisits } from './views/node-view.ts';
export { type RequestView, requestView } from './views/request-view.ts';
export { type RunView, runView } from './views/run-view.ts';
export { replay, type StateAt, stateAt, stateOf } from './views/state-at.ts';
export { parseStatePath, type StatePath } from './views/state-path.ts';
export { cut, principalText, shown } from './views/text.ts';
export { type TimelineRow, timeline } from './views/timeline.ts';
export { TrailWalk, trail } from './views/trail.ts';
export type { WaitsView, WaitView } from './views/wait-views.ts';
export { nowText, type Why, type WhyRow, why, whyText } from './views/why.ts';
