import { type CommandBody, type OpReport, type Run, SignalboxError, type Task, type TaskEnd } from '@signalbox/kernel';
import { errorDataOf } from '../journal/error-data.ts';
import type { TaskExecution } from '../journal/execution.ts';
import { type DriverDeps, type TaskHost, taskKey } from './driver-deps.ts';
import { runTask } from './run-task.ts';

/** What the executions of a run need of its driver. */
export interface TasksOf {
  readonly host: TaskHost;
  term(): number;
  run(): Run;
  /** Queues a command of the driver's own. */
  queue(body: CommandBody): void;
  /** How many commits were sent so far. */
  commits(): number;
  /** Something the execution reported is not decided yet. */
  isQueued(execution: TaskExecution): boolean;
}

type Report = Extract<CommandBody, { type: 'report' }>;

export type Tasks = ReadonlyMap<string, Task>;

/** The handlers of one run that are at work in this process, by task. */
export class Executions {
  readonly #deps: DriverDeps;
  readonly #of: TasksOf;
  readonly #byTask = new Map<string, TaskExecution>();
  /** The number of the commit that each began after. */
  readonly #begunAfter = new WeakMap<TaskExecution, number>();
  readonly #givenUp = new WeakSet<TaskExecution>();

  constructor(deps: DriverDeps, of: TasksOf) {
    this.#deps = deps;
    this.#of = of;
  }

  get size(): number {
    return this.#byTask.size;
  }

  committed(): void {
    if (this.#byTask.size === 0) return;
    for (const execution of [...this.#byTask.values()]) execution.committed();
  }

  dropAll(reason: string): void {
    for (const execution of this.#byTask.values()) execution.drop(reason);
    this.#byTask.clear();
  }

  /** What began on a commit that was lost, or on one behind it, has never been. `ended`: those that are at work no more. */
  giveUpSince(commit: number, ended: Iterable<TaskExecution>): void {
    const isLost = (execution: TaskExecution) => (this.#begunAfter.get(execution) ?? 0) >= commit;
    for (const execution of ended) if (isLost(execution)) this.#givenUp.add(execution);
    for (const [key, execution] of this.#byTask) {
      if (!isLost(execution)) continue;
      this.#givenUp.add(execution);
      execution.drop('What it began on was not recorded.');
      this.#byTask.delete(key);
    }
  }

  hasGivenUp(execution: TaskExecution | undefined): boolean {
    return execution !== undefined && this.#givenUp.has(execution);
  }

  /** An execution whose node is over is dropped; one that has ended while its node goes on makes room for the next. */
  dropLeft(tasks: Tasks): void {
    for (const [key, execution] of this.#byTask) {
      if (tasks.has(key) && !(execution.isConcluded && !this.#of.isQueued(execution))) continue;
      if (!execution.isConcluded) execution.drop('The run has left this node.');
      this.#byTask.delete(key);
    }
  }

  begin(tasks: Tasks): void {
    for (const [key, task] of tasks) if (!this.#byTask.has(key)) this.#begin(key, task);
  }

  /** What was intended once and never recorded is in doubt before anything else happens. */
  #begin(key: string, task: Task): void {
    const { token, node, visit } = task;
    const term = this.#of.term();
    let isInDoubt = false;
    for (const { op, status, class: effect } of task.execution?.journal.values() ?? []) {
      if (status !== 'intended' || effect !== 'once') continue;
      this.#of.queue({ type: 'doubt', term, token, node, visit, op });
      isInDoubt = true;
    }
    if (isInDoubt) return;
    try {
      const execution = runTask(this.#deps, this.#of.host, task, this.#of.run());
      this.#byTask.set(key, execution);
      this.#begunAfter.set(execution, this.#of.commits());
    } catch (thrown) {
      // A task that could not even be begun fails like one that threw.
      this.#of.queue(endOf(task, term, { type: 'failed', error: errorDataOf(thrown) }));
    }
  }

  cancel(tasks: Tasks): void {
    for (const [key, task] of tasks) {
      const execution = this.#byTask.get(key);
      if (execution === undefined) {
        this.#of.queue(endOf(task, this.#of.term(), { type: 'cancelled' }));
      } else if (!execution.abort.signal.aborted) {
        execution.abort.abort(new SignalboxError('Cancelled', 'The run is cancelled.'));
        const { clock, cancelGrace } = this.#deps;
        clock.at(clock.now() + cancelGrace, () => execution.end({ type: 'cancelled' }));
      }
    }
  }
}

export function tasksByKey(tasks: readonly Task[]): Tasks {
  const byKey = new Map<string, Task>();
  for (const task of tasks) byKey.set(taskKey(task), task);
  return byKey;
}

export function reportOf({ token, node, visit }: Task, term: number, ops: OpReport[]): Report {
  return { type: 'report', term, token, node, visit, ops };
}

/** How a task ended, as its driver decides it. */
export function endOf(task: Task, term: number, end: TaskEnd): CommandBody {
  const { token, node, visit } = task;
  if (task.kind !== 'compensation') return { type: 'report', term, token, node, visit, ops: [], end };
  const error = end.type === 'failed' ? { error: end.error } : {};
  return { type: 'compensated', term, ref: { token, node, visit }, ...error };
}
