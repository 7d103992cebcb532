import { isSignalboxError } from '@signalbox/kernel';
import { storeErrors } from '@signalbox/ports';
import type { Connection } from './connection.ts';
import { type LandOptions, landGroup, type Outcome } from './land-group.ts';
import { isBusy } from './sqlite-error.ts';
import { type Settled, WrittenJobs } from './written-jobs.ts';

/**
 * Group commit.
 *
 *  1. Jobs land in the order in which they were called; each lands wholly or not at all. A group in which one fails is
 *     undone and landed again with a savepoint for each: conflicts are rare, and savepoints cost at every commit.
 *  2. A flush is one synchronous transaction of at most `groupLimit` jobs; nobody else uses the connection meanwhile.
 *  3. A job resolves only after its transaction has committed, synced when any job of it asked for that.
 *  4. A lone writer is not made to wait for others; many writers at once, and a job that its writer follows with more,
 *     are gathered by letting the event loop turn.
 *  5. Jobs whose writers want to know when they are `written` land without a sync, unless others of their group need one.
 *     The next sync is theirs too, that of another job or one of their own in the next turn; only then they resolve.
 */
export interface WriteQueue {
  write<T>(job: Job<T>): Promise<T>;
  /** Resolves when all that has landed is synced as it was asked for; undefined when that is so. */
  synced(): Promise<void> | undefined;
  /** Resolves when nothing is left; no job is taken any more. */
  drain(): Promise<void>;
}

export interface Job<T> {
  /** Tells writers apart, so as to see whether there are several. */
  readonly writer: string;
  readonly sync: boolean;
  /** Its writer has more to come before it waits for this. */
  readonly followed?: boolean;
  /** Called when it survives the death of the process, if that is before it is synced. */
  readonly written?: (() => void) | undefined;
  run(): T;
}

export interface WriteQueueOptions extends LandOptions {
  readonly groupLimit: number;
  /** Ms to wait, in all, for other processes. */
  readonly busyTimeout: number;
  /** Called before each transaction with what it will be. */
  readonly prepare: (transaction: { readonly sync: boolean; readonly jobs: number }) => void;
  /** Syncs what has been committed before, by a commit that says nothing. */
  readonly syncLog: () => void;
}

interface Pending extends Job<unknown>, Settled {}

const SETTLED = Promise.resolve();
/** Flushes for which several writers are assumed after two different ones followed each other. */
const CROWD_MEMORY = 16;
/** Ms after which a lone writer lets timers and sockets have their turn. */
const TURN = 5;

export function createWriteQueue(db: Connection, options: WriteQueueOptions): WriteQueue {
  let pending: Pending[] = [];
  const written = new WrittenJobs();
  let idle: (() => void) | undefined;
  let scheduled: 'no' | 'turn' | 'now' | 'busy' = 'no';
  let turning: NodeJS.Immediate | undefined;
  let closed = false;
  let lastWriter: string | undefined;
  let crowd = 0;
  let turnedAt = 0;
  let waitingSince: number | undefined;
  let syncing = false;
  const landing: LandOptions = { ...options, onUndone };

  function schedule(followed: boolean): void {
    if (scheduled === 'now' || scheduled === 'busy') return;
    const waits = followed || crowd > 0 || performance.now() - turnedAt >= TURN;
    if (!waits) {
      scheduled = 'now';
      clearImmediate(turning);
      // A microtask that is asked for by name is a resource of its own to the platform.
      void SETTLED.then(flushNow);
    } else if (scheduled === 'no') {
      scheduled = 'turn';
      turning = setImmediate(turn);
    }
  }

  function turn(): void {
    turnedAt = performance.now();
    flush(written.size > 0);
  }

  function flushNow(): void {
    flush(false);
  }

  function flush(mustSync: boolean): void {
    scheduled = 'no';
    const group = pending.slice(0, options.groupLimit);
    const sync = mustSync || group.some(job => job.sync && job.written === undefined);
    const outcomes = landed(group, sync);
    if (outcomes === 'busy') {
      waitForLock(group);
      return;
    }
    waitingSince = undefined;
    pending = pending.slice(group.length);
    noticeCrowd(group);
    settle(group, outcomes, sync);
    if (pending.length > 0 || written.size > 0) schedule(true);
    else idle?.();
  }

  function landed(group: readonly Pending[], sync: boolean): readonly Outcome[] | 'busy' {
    syncing = sync;
    try {
      options.prepare({ sync, jobs: group.length });
      if (group.length > 0) return landGroup(db, landing, group);
      if (!sync) return [];
      options.syncLog();
      written.synced();
      return [];
    } catch (error) {
      if (isBusy(error) && !hasWaitedEnough()) return 'busy';
      const failure = { error: options.toError(error) };
      if (group.length === 0) written.failed(failure.error);
      return group.map(() => failure);
    }
  }

  /** After a sync that failed, one that succeeds says nothing of what was written before both. */
  function onUndone(error: unknown): void {
    options.onUndone(error);
    if (syncing && !isSignalboxError(error) && !isBusy(error)) written.failed(options.toError(error));
  }

  function settle(group: readonly Pending[], outcomes: readonly Outcome[], sync: boolean): void {
    // A transaction in which no commit has landed has synced nothing.
    if (sync && group.some((job, index) => job.sync && 'value' in outcomes[index]!)) written.synced();
    for (const [index, job] of group.entries()) {
      const outcome = outcomes[index]!;
      if ('error' in outcome) job.reject(outcome.error);
      else if (sync || !job.sync) job.resolve(outcome.value);
      else {
        written.add(job, outcome.value);
        job.written?.();
      }
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
        const run = () => job.run();
        pending.push({ writer, sync, written: job.written, run, resolve: resolve as (value: unknown) => void, reject });
        schedule(job.followed === true);
      });
    },
    synced: () => written.over(),
    drain() {
      closed = true;
      if (pending.length === 0 && written.size === 0) return Promise.resolve();
      return new Promise(resolve => {
        idle = resolve;
      });
    },
  };
}
