import { isSignalboxError } from '@signalbox/kernel';
import { storeErrors } from '@signalbox/ports';
import type { Connection } from './connection.ts';
import { transaction } from './sql/transaction.ts';
import { isBusy } from './sqlite-error.ts';

/**
 * Group commit.
 *
 *  1. Jobs land in the order in which they were called; each lands wholly or not at all. A group in which one fails is
 *     undone and landed again with a savepoint for each: conflicts are rare, and savepoints cost at every commit.
 *  2. A flush is one synchronous transaction of at most `groupLimit` jobs; nobody else uses the connection meanwhile.
 *  3. A job resolves only after its transaction has committed, synced when any job of it asked for that.
 *  4. A lone writer is not made to wait for others; many writers at once, and a job that its writer follows with more,
 *     are gathered by letting the event loop turn.
 */
export interface WriteQueue {
  write<T>(job: Job<T>): Promise<T>;
  /** Resolves when nothing is left; no job is taken any more. */
  drain(): Promise<void>;
}

export interface Job<T> {
  /** Tells writers apart, so as to see whether there are several. */
  readonly writer: string;
  readonly sync: boolean;
  /** Its writer has more to come before it waits for this. */
  readonly followed?: boolean;
  run(): T;
}

export interface WriteQueueOptions {
  readonly groupLimit: number;
  /** Ms to wait, in all, for other processes. */
  readonly busyTimeout: number;
  /** Called with the lock held, before the first job. */
  readonly onLocked: () => void;
  /** Called when something was undone. */
  readonly onUndone: () => void;
  readonly setSync: (sync: boolean) => void;
  readonly toError: (error: unknown) => Error;
}

interface Pending extends Job<unknown> {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

type Outcome = { readonly value: unknown } | { readonly error: Error };

/** Flushes for which several writers are assumed after two different ones followed each other. */
const CROWD_MEMORY = 16;
/** Ms after which a lone writer lets timers and sockets have their turn. */
const TURN = 5;

export function createWriteQueue(db: Connection, options: WriteQueueOptions): WriteQueue {
  let pending: Pending[] = [];
  let idle: (() => void) | undefined;
  let scheduled: 'no' | 'turn' | 'now' | 'busy' = 'no';
  let turning: NodeJS.Immediate | undefined;
  let closed = false;
  let lastWriter: string | undefined;
  let crowd = 0;
  let turnedAt = 0;
  let waitingSince: number | undefined;

  function schedule(followed: boolean): void {
    if (scheduled === 'now' || scheduled === 'busy') return;
    const waits = followed || crowd > 0 || performance.now() - turnedAt >= TURN;
    if (!waits) {
      scheduled = 'now';
      clearImmediate(turning);
      queueMicrotask(flush);
    } else if (scheduled === 'no') {
      scheduled = 'turn';
      turning = setImmediate(turn);
    }
  }

  function turn(): void {
    turnedAt = performance.now();
    flush();
  }

  function flush(): void {
    scheduled = 'no';
    const group = pending.slice(0, options.groupLimit);
    const outcomes = landed(group);
    if (outcomes === 'busy') {
      waitForLock(group);
      return;
    }
    waitingSince = undefined;
    pending = pending.slice(group.length);
    noticeCrowd(group);
    settle(group, outcomes);
    if (pending.length > 0) schedule(true);
    else idle?.();
  }

  function landed(group: readonly Pending[]): readonly Outcome[] | 'busy' {
    try {
      return landGroup(db, options, group);
    } catch (error) {
      if (isBusy(error) && !hasWaitedEnough()) return 'busy';
      const failure = { error: options.toError(error) };
      return group.map(() => failure);
    }
  }

  function hasWaitedEnough(): boolean {
    waitingSince ??= performance.now();
    return performance.now() - waitingSince >= options.busyTimeout;
  }

  function waitForLock(group: readonly Pending[]): void {
    scheduled = 'busy';
    crowd = Math.max(crowd, group.length > 1 ? CROWD_MEMORY : 0);
    setTimeout(turn, 1 + Math.random() * 4);
  }

  function noticeCrowd(group: readonly Pending[]): void {
    crowd = Math.max(0, crowd - 1);
    for (const { writer } of group) {
      if (lastWriter !== undefined && writer !== lastWriter) crowd = CROWD_MEMORY;
      lastWriter = writer;
    }
  }

  return {
    write<T>(job: Job<T>): Promise<T> {
      if (closed) return Promise.reject(storeErrors.closed('sqlite'));
      return new Promise<T>((resolve, reject) => {
        const { writer, sync } = job;
        pending.push({ writer, sync, run: () => job.run(), resolve: resolve as (value: unknown) => void, reject });
        schedule(job.followed === true);
      });
    },
    drain() {
      closed = true;
      if (pending.length === 0) return Promise.resolve();
      return new Promise(resolve => {
        idle = resolve;
      });
    },
  };
}

function settle(group: readonly Pending[], outcomes: readonly Outcome[]): void {
  for (const [index, { resolve, reject }] of group.entries()) {
    const outcome = outcomes[index];
    if (outcome === undefined) continue;
    if ('error' in outcome) reject(outcome.error);
    else resolve(outcome.value);
  }
}

/** Throws when nothing of the group landed, for whatever reason. */
function landGroup(db: Connection, options: WriteQueueOptions, group: readonly Pending[]): Outcome[] {
  options.setSync(group.some(({ sync }) => sync));
  try {
    return inTransaction(db, options, () => group.map(job => ({ value: job.run() })));
  } catch (error) {
    if (group.length === 1 || isBusy(error)) throw error;
    return inTransaction(db, options, () => group.map(job => landOne(db, options, job)));
  }
}

function inTransaction<T>(db: Connection, options: WriteQueueOptions, land: () => T): T {
  db.run(transaction.beginWrite());
  try {
    options.onLocked();
    const landed = land();
    db.run(transaction.commit());
    return landed;
  } catch (error) {
    options.onUndone();
    rollBack(db);
    throw error;
  }
}

function landOne(db: Connection, options: WriteQueueOptions, job: Pending): Outcome {
  db.run(transaction.savepoint());
  try {
    const value = job.run();
    db.run(transaction.release());
    return { value };
  } catch (error) {
    options.onUndone();
    undoOne(db, error);
    return { error: isSignalboxError(error) ? error : options.toError(error) };
  }
}

/** Fails when SQLite has undone the whole transaction by itself (disk full, I/O error): then nobody's job has landed. */
function undoOne(db: Connection, reason: unknown): void {
  try {
    db.run(transaction.rollbackTo());
    db.run(transaction.release());
  } catch {
    throw reason;
  }
}

function rollBack(db: Connection): void {
  try {
    db.run(transaction.rollback());
  } catch {
    // SQLite had ended the transaction by itself; the error that made it do so is on its way to the callers.
  }
}
