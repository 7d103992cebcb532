/** Time from outside. Epoch milliseconds, integers. */
export interface Clock {
  now(): number;
  /** Calls `fn` once at or after `at`; holds for times years ahead. Returns the way to cancel. */
  at(at: number, fn: () => void): () => void;
}

/** Ids from outside: `uuid()` gives a UUIDv7 in lower case. */
export interface IdGenerator {
  uuid(): string;
}
