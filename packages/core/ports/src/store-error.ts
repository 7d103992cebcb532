import { isSignalboxError, SignalboxError } from '@signalbox/kernel';
import type { CounterChange } from './store.ts';

/**
 * What a lost compare-and-set looks like. `details` is `{ stream, expectedSeq, actualSeq }`, `{ commandId }`, `{ startKey }`
 * or `{ counter, max, actual }`.
 */
export interface StoreConflict extends SignalboxError {
  readonly code: 'StoreConflict';
}

export function isStoreConflict(error: unknown): error is StoreConflict {
  return isSignalboxError(error) && error.code === 'StoreConflict';
}

/** A counter has no room for it: others have taken what was left. */
export function isCounterFull(error: unknown): error is StoreConflict {
  return isStoreConflict(error) && error.details.counter !== undefined;
}

/** A call after `close()`. */
export interface StoreClosed extends SignalboxError {
  readonly code: 'StoreClosed';
}

export function isStoreClosed(error: unknown): error is StoreClosed {
  return isSignalboxError(error) && error.code === 'StoreClosed';
}

const RELOAD = 'Somebody else was first. Load again and decide again.';

function conflict(message: string, details: SignalboxError['details']): StoreConflict {
  return new SignalboxError('StoreConflict', message, { hint: RELOAD, details }) as StoreConflict;
}

/** The errors that every store gives in the same words. */
export const storeErrors = {
  lostUpdate: (stream: string, expectedSeq: number, actualSeq: number): StoreConflict =>
    conflict(`Stream ${stream} is at ${actualSeq}, not at ${expectedSeq}.`, { stream, expectedSeq, actualSeq }),
  otherHead: (stream: string, seq: number): StoreConflict =>
    conflict(`Stream ${stream} is at ${seq}, but after another commit.`, { stream, expectedSeq: seq, actualSeq: seq }),
  commandTaken: (stream: string, commandId: string): StoreConflict =>
    conflict(`Stream ${stream} has carried out command ${commandId} already.`, { stream, commandId }),
  startKeyTaken: (tenant: string, startKey: string): StoreConflict =>
    conflict(`Tenant ${tenant} has started a run under key ${startKey} already.`, { tenant, startKey }),
  counterFull: ({ tenant, key: counter, add, max }: CounterChange, actual: number): StoreConflict =>
    conflict(`Counter ${counter} of tenant ${tenant} is at ${actual}; ${add} more would pass ${max}.`, {
      tenant,
      counter,
      max: max ?? null,
      actual,
    }),
  emptyAppend: (stream: string, expectedSeq: number, lastSeq: number): SignalboxError =>
    new SignalboxError('InvalidAppend', `An append to ${stream} after ${expectedSeq} cannot end at ${lastSeq}.`, {
      hint: 'An append holds at least one event.',
      details: { stream, expectedSeq, lastSeq },
    }),
  invalidCursor: (cursor: string): SignalboxError =>
    new SignalboxError('InvalidCursor', `This store gave out no cursor ${JSON.stringify(cursor)}.`, {
      hint: 'Hand back the cursor of the page before as it came, to the same store and the same query.',
      details: { cursor },
    }),
  closed: (name: string): StoreClosed =>
    new SignalboxError('StoreClosed', `The ${name} store is closed.`, {
      hint: 'Close the store last, after the host has stopped.',
    }) as StoreClosed,
};
