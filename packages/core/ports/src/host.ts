/**
 * A host decides when a run is looked at; it carries run ids and times only. A call to it may be lost: whoever drives
 * sweeps the store's due rows, so a continuation is always found. `schedule` for a time already past means soon.
 *
 *  1. After `schedule(runId, at)` the `onDue` function is called with that run at or after `at`, at least once, unless the host stops first.
 *  2. Never before `at`. Times years ahead hold (no 2^31 ms limit).
 *  3. Two calls for one run are never in flight at once; a call due meanwhile follows after.
 *  4. One slow or failing run does not hold up the others; at most `concurrency` calls are in flight.
 *  5. After `stop()` resolves no call is in flight and none begins.
 */
export interface Host {
  schedule(runId: string, at: number): void;
  /** Set once, before the first `schedule`. */
  onDue(fn: (runId: string) => Promise<void>): void;
  stop(): Promise<void>;
}
