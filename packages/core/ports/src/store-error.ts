import { isSignalboxError, type SignalboxError } from '@signalbox/kernel';

/** What a lost compare-and-set looks like. `details` is `{ stream, expectedSeq, actualSeq }` or `{ commandId }` or `{ startKey }`. */
export interface StoreConflict extends SignalboxError {
  readonly code: 'StoreConflict';
}

export function isStoreConflict(error: unknown): error is StoreConflict {
  return isSignalboxError(error) && error.code === 'StoreConflict';
}
