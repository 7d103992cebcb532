import {
  type CommandBody,
  type NodeRef,
  nodeKey,
  type Program,
  type Run,
  ready,
  SignalboxError,
  type StoredEvent,
  type Task,
} from '@signalbox/kernel';
import { type TaskCheck, taskKey } from '../drive/driver-deps.ts';
import { endOf, reportOf } from '../drive/executions.ts';
import { type Outcomes, ReplayedTask, type Reported, type TaskWorld } from './replayed-task.ts';

/** Something that may have come next: what is decided for it is compared with what the log has next. */
export interface Candidate {
  readonly body: CommandBody;
  /** The log has it: it is not offered again. */
  found(): void;
  /** It is the first thing that is left of its handler: if it comes to nothing now, it leaves no trace. */
  readonly isHead?: boolean;
  /** The same with one thing more that its handler reported, that of the next event if it is there: both were decided at once. */
  longer?(next: StoredEvent | undefined): Candidate | undefined;
}

const nothingToDo = () => {};
/** Time goes on by itself. */
export const TICK: Candidate = { body: { type: 'tick' }, found: nothingToDo };
/** As a process found it that did not drive the run yet. */
export const TICK_UNCLAIMED: Candidate = { body: { type: 'tick', unclaimed: true }, found: nothingToDo };

export function given(body: CommandBody): Candidate {
  return { body, found: nothingToDo };
}

/** The handlers that the run has at work at this point of its log, each executed as the driver of then executed it. */
export class ReplayedTasks {
  readonly #world: Omit<TaskWorld, 'checks'>;
  /** Names of operations that the code asked for, by visit, whatever became of the execution that did. */
  readonly #asked = new Map<string, Set<string>>();
  readonly #checks: (task: Task) => readonly TaskCheck[];
  readonly #byTask = new Map<string, ReplayedTask>();
  readonly #byPlace = new Map<string, ReplayedTask>();
  #waiting: readonly Task[] = [];

  constructor(world: Omit<TaskWorld, 'checks' | 'asked'>, checks: (task: Task) => readonly TaskCheck[]) {
    this.#world = { ...world, asked: (ref, name) => this.#note(ref, name) };
    this.#checks = checks;
  }

  /**
   * All of a commit is there: what was waited for goes on, what the run has left is dropped, what is ready begins, if the
   * log tells anything of it: code that nothing is left to compare with would be executed for nothing.
   */
  committed(program: Program, run: Run, isPause: boolean, isTold: (ref: NodeRef) => boolean): void {
    for (const task of [...this.#byTask.values()]) task.committed(isPause);
    const isDriven = run.owner !== undefined;
    const tasks = isDriven ? ready(program, run).filter(({ kind }) => kind === 'node' || kind === 'check') : [];
    this.#dropLeft(new Set(tasks.map(taskKey)));
    this.#waiting = tasks.filter(task => !this.#byTask.has(taskKey(task)));
    if (run.status === 'cancelling')
      for (const { execution } of this.#byTask.values())
        execution.abort.abort(new SignalboxError('Cancelled', 'The run is cancelled.'));
    else this.#waiting = this.#waiting.filter(task => !isTold(task) || !this.#begin(task, run));
  }

  #dropLeft(ready: ReadonlySet<string>): void {
    for (const [key, task] of this.#byTask) {
      if (ready.has(key) && !(task.execution.isConcluded && task.reported.length === 0)) continue;
      if (!task.execution.isConcluded) task.execution.drop('The run has left this node.');
      this.#byTask.delete(key);
      const place = nodeKey(task.task);
      if (this.#byPlace.get(place) === task) this.#byPlace.delete(place);
    }
  }

  #begin(task: Task, run: Run, due?: Outcomes): boolean {
    if (doubtful(task).length > 0) return false;
    const checks = this.#checks(task);
    const replayed = new ReplayedTask({ ...this.#world, checks }, task, run, due);
    this.#byTask.set(taskKey(task), replayed);
    this.#byPlace.set(nodeKey(task), replayed);
    return true;
  }

  #note(ref: NodeRef, name: string): void {
    const visit = nodeKey(ref);
    const names = this.#asked.get(visit) ?? new Set();
    this.#asked.set(visit, names.add(name));
  }

  /**
   * Whether an end of that operation may come of an execution that is past: its code asked for it, and was broken off, or
   * did not wait for it.
   */
  mayStillEnd(ref: NodeRef, op: string): boolean {
    if (this.at(ref)?.isPast === false) return false;
    const name = op.replace(/#\d+$/, '');
    return [...(this.#asked.get(nodeKey(ref)) ?? [])].some(asked => name === asked || name.endsWith(`/${asked}`));
  }

  /** Its driver may have been given up without a trace, and the handler begun anew from what was recorded by now. */
  again({ task, execution }: ReplayedTask, program: Program, run: Run, due: Outcomes): void {
    execution.drop('Its driver was given up.');
    this.#byTask.delete(taskKey(task));
    this.#byPlace.delete(nodeKey(task));
    const now = ready(program, run).find(candidate => taskKey(candidate) === taskKey(task));
    if (now !== undefined && !this.#begin(now, run, due)) this.#waiting = [...this.#waiting, now];
  }

  /** Its process is gone, and all that it executed with it. */
  dropAll(): void {
    for (const { execution } of this.#byTask.values()) execution.drop('Its process has ended.');
    this.#byTask.clear();
    this.#byPlace.clear();
    this.#waiting = [];
  }

  get all(): readonly ReplayedTask[] {
    return [...this.#byTask.values()];
  }

  at(ref: NodeRef | undefined): ReplayedTask | undefined {
    return ref === undefined ? undefined : this.#byPlace.get(nodeKey(ref));
  }

  /** What may come next from within: what the handler at `ref` reported, time, and all else. */
  *candidates(ref: NodeRef | undefined, run: Run): Generator<Candidate> {
    const here = this.at(ref);
    if (here !== undefined) yield* reportsOf(here, run.term);
    yield TICK;
    yield TICK_UNCLAIMED;
    for (const task of this.#waiting) yield* driverSays(task, run);
    for (const task of this.all) if (task !== here) yield* reportsOf(task, run.term);
  }
}

function* driverSays(task: Task, { status, term }: Run): Generator<Candidate> {
  const { token, node, visit } = task;
  if (status === 'cancelling') yield given(endOf(task, term, { type: 'cancelled' }));
  for (const op of doubtful(task)) yield given({ type: 'doubt', term, token, node, visit, op });
}

/** What was begun once, and whose end nobody recorded: it is in doubt before anything else happens. */
function doubtful({ execution }: Task): string[] {
  const records = [...(execution?.journal.values() ?? [])];
  return records.flatMap(({ op, status, class: kind }) => (status === 'intended' && kind === 'once' ? [op] : []));
}

function* reportsOf(task: ReplayedTask, term: number): Generator<Candidate> {
  for (const [index, item] of [...task.reported].entries())
    yield { ...reported(task, term, [item]), isHead: index === 0 };
}

function reported(task: ReplayedTask, term: number, items: readonly Reported[]): Candidate {
  return {
    body: bodyOf(task, term, items),
    found: () => task.found(items),
    longer: next => {
      const left = task.reported.filter(item => !items.includes(item));
      const more =
        left.find(item => 'op' in item && item.op.op === next?.data.op) ?? (isOpen(items) ? left[0] : undefined);
      return more && reported(task, term, [...items, more]);
    },
  };
}

function isOpen(items: readonly Reported[]): boolean {
  return items.every(item => 'op' in item);
}

function bodyOf({ task }: ReplayedTask, term: number, items: readonly Reported[]): CommandBody {
  const ops = items.flatMap(item => ('op' in item ? [item.op] : []));
  const end = items.find(item => 'end' in item)?.end;
  return end === undefined
    ? reportOf(task, term, ops)
    : { ...endOf(task, term, end), ...(ops.length > 0 ? { ops } : {}) };
}
