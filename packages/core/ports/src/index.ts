export type { Clock, IdGenerator } from './clock.ts';
export type { Host } from './host.ts';
export type {
  Append,
  CommitBatch,
  CommitOptions,
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
export { isStoreClosed, isStoreConflict, type StoreClosed, type StoreConflict, storeErrors } from './store-error.ts';
