export type { Clock, IdGenerator } from './clock.ts';
export {
  DELIVERY_TYPES,
  type DeliveredRequest,
  type DeliveryAttempt,
  type DeliveryChannel,
  type DeliveryMessage,
  type DeliveryOutcome,
  type DeliveryType,
} from './delivery.ts';
export type { Host } from './host.ts';
export type { Identity } from './identity.ts';
export type { KeyRing } from './key-ring.ts';
export type { FoundMemory, LongTermMemory, MemoryOwner, MemoryQuery } from './memory.ts';
export type {
  ModelCallOptions,
  ModelErrorCode,
  ModelMessage,
  ModelPort,
  ModelReply,
  ModelRequest,
  ModelTool,
  ModelToolCall,
  ModelUsage,
} from './model.ts';
export { isSecretReference, readSecret, type SecretSource } from './secret.ts';
export type {
  Append,
  CommitBatch,
  CommitOptions,
  CounterChange,
  DocumentRow,
  DueQuery,
  DueRun,
  EventStore,
  FeedPage,
  LabelRow,
  Page,
  RequestQuery,
  RequestRow,
  RunQuery,
  RunRow,
  Sealed,
  Snapshot,
  SnapshotChunk,
  StartKey,
  StoredCommit,
  StoreFeatures,
  StoreInspection,
  StreamHead,
} from './store.ts';
export {
  isCounterFull,
  isStoreClosed,
  isStoreConflict,
  type StoreClosed,
  type StoreConflict,
  storeErrors,
} from './store-error.ts';
export type { Tool, ToolContext, ToolSource } from './tool.ts';
