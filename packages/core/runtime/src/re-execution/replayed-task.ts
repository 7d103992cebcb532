import type { CommandBody, OpReport, Principal, Run, Task, TaskEnd } from '@signalbox/kernel';
import type { Clock } from '@signalbox/ports';
import type { TaskDeps, TaskHost } from '../drive/driver-deps.ts';
import { runTask } from '../drive/run-task.ts';
import { revivedError } from '../journal/error-data.ts';
import type { TaskExecution } from '../journal/execution.ts';
import type { Handler } from '../journal/handler.ts';
import { sparedHandler } from './spared-handler.ts';

/** Something that a handler did or came to, and that has to be found in the log. */
export type Reported = { readonly op: OpReport } | { readonly end: TaskEnd };

/** How an operation ended, as the log has it. */
export interface RecordedOutcome {
  readonly value?: unknown;
  readonly error?: Parameters<typeof revivedError>[0];
}

interface Performing {
  readonly name: string;
  readonly settle: (outcome: RecordedOutcome) => void;
}

export interface TaskWorld extends Omit<TaskDeps, 'clock'> {
  now(): number;
  current(): Run;
  /** Called whenever the handler, or what it waits for, has moved. */
  moved(): void;
}

/**
 * One execution of a handler, in which nothing is done but what the log says was done.
 *  1. What it reports waits here until the log has it; that is when it counts as durable.
 *  2. The function of an operation is not called: it ends when, and as, the log says.
 *  3. No time passes: a limit is reached when the log says so.
 */
export class ReplayedTask implements TaskHost {
  readonly task: Task;
  readonly execution: TaskExecution;
  readonly reported: Reported[] = [];
  readonly clock: Clock;
  readonly #world: TaskWorld;
  readonly #performing = new Map<string, Performing>();
  readonly #operationLimits = new Map<string, () => void>();
  readonly #nodeLimits = new Set<() => void>();
  /** Set while nobody knows whether the code is only slow to ask for what it recorded. */
  readonly #doubts = new Set<() => void>();
  readonly #waiters: { readonly items: readonly Reported[]; readonly resolve: () => void }[] = [];
  readonly #submitted: (() => void)[] = [];
  #begun: string | undefined;

  constructor(world: TaskWorld, task: Task, run: Run) {
    this.#world = world;
    this.task = task;
    this.clock = this.#clock((fn: () => void) => {
      const key = this.#begun;
      this.#begun = undefined;
      if (key === undefined) return addTo(this.#doubts, fn);
      this.#operationLimits.set(key, fn);
      return () => this.#operationLimits.delete(key);
    });
    const deps: TaskDeps = {
      ...world,
      handler: key => this.#spared(world.handler(key)),
      clock: this.#clock(fn => addTo(this.#nodeLimits, fn)),
    };
    this.execution = runTask(deps, this, task, run);
  }

  #clock(set: (fn: () => void) => () => void): Clock {
    return {
      now: () => this.#world.now(),
      at: (_, fn) => set(fn),
      every: () => () => {},
      soon: fn => {
        this.#world.moved();
        setImmediate(fn);
      },
    };
  }

  #spared(handler: Handler | undefined): Handler | undefined {
    return handler && sparedHandler(handler, (name, key) => this.#perform(name, key));
  }

  #perform(name: string, key: string): Promise<unknown> {
    this.#world.moved();
    this.#begun = key;
    return new Promise((resolve, reject) => {
      const settle = ({ value = null, error }: RecordedOutcome) =>
        error === undefined ? resolve(value) : reject(revivedError(error));
      this.#performing.set(key, { name, settle });
    });
  }

  // ── what its execution asks of it ──────────────────────────────────────────────────────────────────────────

  report(_execution: TaskExecution, op: OpReport): void {
    this.reported.push({ op });
    this.#world.moved();
  }

  finish(_execution: TaskExecution, end: TaskEnd): void {
    this.reported.push({ end });
    this.#world.moved();
  }

  flushed(): Promise<void> {
    if (this.reported.length === 0) return Promise.resolve();
    return new Promise(resolve => this.#waiters.push({ items: [...this.reported], resolve }));
  }

  current(): Run {
    return this.#world.current();
  }

  /** A check that pauses the run: the log has that as an act of its own. */
  submit(_body: CommandBody, _actor: Principal): Promise<void> {
    return new Promise(resolve => this.#submitted.push(resolve));
  }

  // ── what the log says ──────────────────────────────────────────────────────────────────────────────────────

  found(item: Reported): void {
    this.reported.splice(this.reported.indexOf(item), 1);
  }

  /** All of a commit is there. */
  committed(isPause: boolean): void {
    if (isPause) for (const resolve of this.#submitted.splice(0)) resolve();
    for (const waiter of this.#waiters.splice(0))
      if (waiter.items.some(item => this.reported.includes(item))) this.#waiters.push(waiter);
      else waiter.resolve();
    this.execution.committed();
  }

  /** Ends an operation under way as it was recorded. False when no such operation is under way. */
  give(op: string, outcome: RecordedOutcome): boolean {
    const key = this.execution.idempotencyKey(op);
    const performing = this.#performing.get(key);
    this.#performing.delete(key);
    this.#operationLimits.delete(key);
    performing?.settle(outcome);
    return performing !== undefined;
  }

  /** That operation took longer than it may. */
  expire(op: string): boolean {
    const key = this.execution.idempotencyKey(op);
    const limit = this.#operationLimits.get(key);
    this.#operationLimits.delete(key);
    limit?.();
    return limit !== undefined;
  }

  /** The node executed longer than it may. */
  timeOut(): boolean {
    return ringAll(this.#nodeLimits);
  }

  /** The code had time enough to ask for what it recorded. */
  giveUpWaiting(): boolean {
    return ringAll(this.#doubts);
  }

  /** It was cancelled, and has not come to an end of its own in the time it had for that. */
  breakOff(): boolean {
    if (this.execution.over) return false;
    this.execution.end({ type: 'cancelled' });
    return true;
  }

  /** It goes no further before the log has something for it. */
  get isHeld(): boolean {
    return this.reported.length > 0 || this.#performing.size > 0;
  }

  /** Names of operations under way that no key of `recorded` is of: they wait for ever. */
  undone(recorded: readonly string[]): readonly string[] {
    const keys = new Set(recorded.map(op => this.execution.idempotencyKey(op)));
    return [...this.#performing].flatMap(([key, { name }]) => (keys.has(key) ? [] : [name]));
  }
}

function addTo(alarms: Set<() => void>, fn: () => void): () => void {
  alarms.add(fn);
  return () => alarms.delete(fn);
}

function ringAll(alarms: Set<() => void>): boolean {
  const all = [...alarms];
  alarms.clear();
  for (const fn of all) fn();
  return all.length > 0;
}
