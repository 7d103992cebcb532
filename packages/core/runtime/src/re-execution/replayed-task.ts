import {
  type BudgetLeft,
  type CommandBody,
  globalKey,
  type NodeRef,
  type OpReport,
  type Principal,
  type Run,
  type Task,
  type TaskEnd,
} from '@signalbox/kernel';
import type { Clock } from '@signalbox/ports';
import type { TaskDeps, TaskHost } from '../drive/driver-deps.ts';
import { runTask } from '../drive/run-task.ts';
import { revivedError } from '../journal/error-data.ts';
import type { TaskExecution } from '../journal/execution.ts';
import type { Handler } from '../journal/handler.ts';
import { sha256 } from '../log/commit-codec.ts';
import { Secrets } from '../sensitive/secrets.ts';
import { sparedHandler } from './spared-handler.ts';

/** Something that a handler did or came to, and that has to be found in the log. */
export type Reported = { readonly op: OpReport } | { readonly end: TaskEnd };

/** How an operation ended, as the log has it. */
export interface RecordedOutcome {
  readonly value?: unknown;
  readonly error?: Parameters<typeof revivedError>[0];
}

/** Operations with their ends, in the order of the log. */
export type Outcomes = readonly (readonly [op: string, outcome: RecordedOutcome])[];

interface Performing {
  readonly name: string;
  readonly settle: (outcome: RecordedOutcome) => void;
}

export interface TaskWorld extends Omit<TaskDeps, 'clock'> {
  readonly secrets?: Secrets | undefined;
  now(): number;
  current(): Run;
  /** Called whenever the code of a visit asks for an operation of that name. */
  asked(ref: NodeRef, name: string): void;
  /** The report, with what it says of spending as the log has it. */
  spending(ref: NodeRef, report: OpReport): OpReport;
  /** What a judgement found left of the bounds, as the log has it. */
  left(task: Task, op: string): readonly BudgetLeft[] | undefined;
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
  /** By idempotency key, as all of these. */
  readonly #performing = new Map<string, Performing>();
  /** Ends that stand in the log already, of operations that are not begun here yet. */
  readonly #due = new Map<string, RecordedOutcome>();
  readonly #operationLimits = new Map<string, () => void>();
  readonly #nodeLimits = new Set<() => void>();
  /** Set while nobody knows whether the code is only slow to ask for what it recorded. */
  readonly #doubts = new Set<() => void>();
  readonly #waiters: { readonly items: readonly Reported[]; readonly resolve: () => void }[] = [];
  readonly #submitted: (() => void)[] = [];
  #begun: string | undefined;
  /** Nothing is written, and nobody is told. */
  readonly secrets: Secrets;

  constructor(world: TaskWorld, task: Task, run: Run, due: Outcomes = []) {
    this.#world = world;
    this.task = task;
    this.secrets = world.secrets ?? new Secrets();
    for (const [op, outcome] of due) this.#due.set(this.#keyOf(op), outcome);
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
      spare: {
        asked: name => world.asked(task, name),
        perform: (name, key) => this.#perform(name, key),
        left: op => world.left(task, op),
      },
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
    const asked = (name: string) => this.#world.asked(this.task, name);
    return handler && sparedHandler(handler, { asked, perform: (name, key) => this.#perform(name, key) });
  }

  #perform(name: string, key: string): Promise<unknown> {
    this.#world.moved();
    this.#begun = key;
    const due = this.#due.get(key);
    this.#due.delete(key);
    return new Promise((resolve, reject) => {
      const settle = ({ value = null, error }: RecordedOutcome) =>
        error === undefined ? resolve(value) : reject(revivedError(error));
      if (due !== undefined) settle(due);
      else this.#performing.set(key, { name, settle });
    });
  }

  #keyOf(op: string): string {
    return sha256(globalKey(this.#world.current(), this.task, op));
  }

  // ── what its execution asks of it ──────────────────────────────────────────────────────────────────────────

  report(_execution: TaskExecution, op: OpReport): void {
    this.reported.push({ op: this.#world.spending(this.task, op) });
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

  found(items: readonly Reported[]): void {
    for (const item of items) this.reported.splice(this.reported.indexOf(item), 1);
  }

  /** All of a commit is there. */
  committed(isPause: boolean): void {
    if (isPause) for (const resolve of this.#submitted.splice(0)) resolve();
    for (const waiter of this.#waiters.splice(0))
      if (waiter.items.some(item => this.reported.includes(item))) this.#waiters.push(waiter);
      else waiter.resolve();
    this.execution.committed();
  }

  /** Lets what waits for the commit go on in the middle of it. False when nothing does. */
  goOn(): boolean {
    const waiters = this.#waiters.splice(0);
    for (const { resolve } of waiters) resolve();
    return waiters.length > 0;
  }

  /** Ends operations as they were recorded, in that order and at once. False when none of them is under way. */
  give(outcomes: Outcomes): boolean {
    let given = false;
    for (const [op, outcome] of outcomes) {
      const key = this.#keyOf(op);
      const performing = this.execution.over ? undefined : this.#performing.get(key);
      if (performing === undefined) continue;
      this.#performing.delete(key);
      this.#operationLimits.delete(key);
      performing.settle(outcome);
      given = true;
    }
    return given;
  }

  /** That operation took longer than it may. */
  expire(op: string): boolean {
    const key = this.#keyOf(op);
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

  /** What it still does is not taken from it any more. */
  get isPast(): boolean {
    return this.execution.over || this.execution.abort.signal.aborted;
  }

  /** It goes no further before the log has something for it. */
  get isHeld(): boolean {
    return this.reported.length > 0 || this.#performing.size > 0;
  }

  /** Names of operations under way that no key of `recorded` is of: they wait for ever. */
  undone(recorded: readonly string[]): readonly string[] {
    const keys = new Set(recorded.map(op => this.#keyOf(op)));
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
