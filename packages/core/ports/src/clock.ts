/** Time and turns from outside. Epoch milliseconds, integers. */
export interface Clock {
  now(): number;
  /** Calls `fn` once at or after `at`; holds for times years ahead. Returns the way to cancel. */
  at(at: number, fn: () => void): () => void;
  /**
   * Calls `fn` about every `period` ms: for signs of life and looking around, never for what a run waits for. Periods
   * that were missed are made up for by one call. Returns the way to stop.
   */
  every(period: number, fn: () => void): () => void;
  /** Calls `fn` once the code that runs now, and all that it woke, has gone as far as it can without anything from outside. */
  soon(fn: () => void): void;
}

/** Ids from outside: `uuid()` gives a UUIDv7 in lower case. */
export interface IdGenerator {
  uuid(): string;
}
