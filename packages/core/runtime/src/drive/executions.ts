import { type CommandBody, type Run, SignalboxError, type Task } from '@signalbox/kernel';
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
  /** Something the execution reported is not decided yet. */
  isQueued(execution: TaskExecution): boolean;
}

export type Tasks = ReadonlyMap<string, Task>;

/** The handlers of one run that are at work in this process, by task. */
export class Executions {
  readonly #deps: DriverDeps;
  readonly #of: TasksOf;
  readonly #byTask = new Map<string, TaskExecution>();

  constructor(deps: DriverDeps, of: TasksOf) {
    this.#deps = deps;
    this.#of = of;
  }

  get size(): number {
    return this.#byTask.size;
  }

  committed(): void {
    for (const execution of [...this.#byTask.values()]) execution.committed();
  }

  dropAll(reason: string): void {
    for (const execution of this.#byTask.values()) execution.drop(reason);
    this.#byTask.clear();
  }

  /** An execution whose node is over is dropped; one that has ended while its node goes on makes room for the next. */
  dropLeft(tasks: Tasks): void {
    for (const [key, execution] of this.#byTask) {
      if (tasks.has(key) && !(execution.over && !this.#of.isQueued(execution))) continue;
      if (!execution.over) execution.drop('The run has left this node.');
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
    const doubtful = [...(task.execution?.journal.values() ?? [])].filter(
      record => record.status === 'intended' && record.class === 'once',
    );
    for (const { op } of doubtful) this.#of.queue({ type: 'doubt', term, token, node, visit, op });
    if (doubtful.length > 0) return;
    try {
      this.#byTask.set(key, runTask(this.#deps, this.#of.host, task, this.#of.run()));
    } catch (thrown) {
      this.#of.queue(brokenOff(task, term, thrown));
    }
  }

  cancel(tasks: Tasks): void {
    for (const [key, task] of tasks) {
      const execution = this.#byTask.get(key);
      if (execution === undefined) {
        const { token, node, visit } = task;
        const end = { type: 'cancelled' as const };
        this.#of.queue({ type: 'report', term: this.#of.term(), token, node, visit, ops: [], end });
      } else if (!execution.abort.signal.aborted) {
        execution.abort.abort(new SignalboxError('Cancelled', 'The run is cancelled.'));
        const { clock, cancelGrace } = this.#deps;
        clock.at(clock.now() + cancelGrace, () => execution.end({ type: 'cancelled' }));
      }
    }
  }
}

export function tasksByKey(tasks: readonly Task[]): Tasks {
  return new Map(tasks.map(task => [taskKey(task), task]));
}

/** A task that could not even be begun fails like one that threw. */
function brokenOff({ kind, token, node, visit }: Task, term: number, thrown: unknown): CommandBody {
  const ref = { token, node, visit };
  const error = errorDataOf(thrown);
  return kind === 'compensation'
    ? { type: 'compensated', term, ref, error }
    : { type: 'report', term, ...ref, ops: [], end: { type: 'failed', error } };
}
