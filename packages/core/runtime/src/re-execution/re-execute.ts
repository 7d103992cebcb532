import {
  applyEvent,
  type Commit,
  commitMillis,
  Draft,
  foldCommits,
  initialState,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type NodeRef,
  nodeKey,
  type Program,
  type RunEvents,
  type StoredEvent,
} from '@signalbox/kernel';
import type { RequestCodec } from '../journal/context.ts';
import type { Handler } from '../journal/handler.ts';
import { isErased } from '../log/payloads.ts';
import { type Departure, departure } from './departure.ts';
import { RecordedChecks } from './recorded-checks.ts';
import { isTakenAsIs, recordedInput, type Sources } from './recorded-input.ts';
import type { ReplayedTask } from './replayed-task.ts';
import { type Candidate, given, ReplayedTasks } from './replayed-tasks.ts';
import { refOf, type Trial, tried } from './trial.ts';
import { Waiting } from './waiting.ts';

/** The code that a run is executed with once more. */
export interface Build {
  handler(key: string): Handler | undefined;
  program(version: string): Promise<Program>;
  readonly codec: RequestCodec;
}

export interface ReExecutionOptions {
  /** How long code outside of operations may take before it counts as coming to nothing more, real ms; default 2,000. */
  readonly patience?: number;
}

/** What came of executing a run once more. */
export interface ReExecution {
  readonly runId: string;
  /** Every event from `from` to `to` comes out the same: type and data. */
  readonly same: boolean;
  /** First event that was compared. What a fork took over from its parent is proved by the parent. */
  readonly from: number;
  /** Last event that came out the same. */
  readonly to: number;
  readonly difference?: Departure;
  /** Beyond `to` nothing is proved: the event after it holds a value that was erased. */
  readonly erased?: true;
}

/**
 * Executes a whole run once more from its log, with this build's kernel and handlers, and compares (design 4.12).
 *  1. The log is the schedule: at each of its events there is a handful of things that may come next (a report of a
 *     handler, time, a recorded act from outside). Each is decided, and one of them has to come to what the log has.
 *  2. Nothing is done: operations end as they were recorded, checks say what they said, compensations are not executed.
 *  3. The run goes on with the events of the log, so the first difference is found where it arises, and is the only one.
 */
export async function reExecute(
  history: readonly Commit[],
  build: Build,
  options: ReExecutionOptions = {},
): Promise<ReExecution> {
  return await new Walk(history, build, options).go();
}

class Walk {
  readonly #history: readonly Commit[];
  readonly #build: Build;
  readonly #patience: number;
  readonly #tasks: ReplayedTasks;
  /** Operations by visit that the log has an end of. */
  readonly #ends = new Map<string, string[]>();
  #draft = new Draft(initialState());
  #program!: Program;
  #now = 0;
  #moves = 0;

  constructor(history: readonly Commit[], build: Build, { patience = 2_000 }: ReExecutionOptions) {
    this.#history = history;
    this.#build = build;
    this.#patience = patience;
    const checks = new RecordedChecks(history);
    const world = {
      handler: (key: string) => build.handler(key),
      codec: build.codec,
      observer: {},
      now: () => this.#now,
      current: () => this.#draft.run,
      moved: () => {
        this.#moves += 1;
      },
    };
    this.#tasks = new ReplayedTasks(world, task => checks.for(task));
    for (const { events } of history)
      for (const { type, data } of events)
        if (type === 'op.recorded') {
          const visit = nodeKey(data as unknown as NodeRef);
          this.#ends.set(visit, [...(this.#ends.get(visit) ?? []), String(data.op)]);
        }
  }

  async go(): Promise<ReExecution> {
    const runId = this.#history[0]?.stream ?? '';
    const first = await this.#begin();
    const from = this.#draft.run.seq + 1;
    const came = (extra: Pick<ReExecution, 'difference' | 'erased'> = {}): ReExecution => ({
      runId,
      same: extra.difference === undefined,
      from,
      to: this.#draft.run.seq,
      ...extra,
    });
    try {
      for (const commit of this.#history.slice(first)) {
        if (commit.events.some(event => holdsErased(event.data))) return came({ erased: true });
        const difference = await this.#commit(commit);
        if (difference !== undefined) return came({ difference });
      }
      return came();
    } finally {
      this.#tasks.dropAll();
    }
  }

  /** Index of the first commit to be executed: what a fork has of its parent carries the parent's ids. */
  async #begin(): Promise<number> {
    const first = Math.max(
      0,
      this.#history.findLastIndex(({ events }) => events.some(({ type }) => type === 'run.forked')),
    );
    const past = foldCommits(initialState(), this.#history.slice(0, first));
    this.#draft = new Draft(past);
    const started = this.#history[0]?.events[0]?.data.version;
    this.#program = await this.#build.program(past.seq === 0 ? String(started) : past.version);
    return first;
  }

  async #commit(commit: Commit): Promise<Departure | undefined> {
    this.#now = commitMillis(commit.at);
    for (let index = 0; index < commit.events.length; ) {
      const next = await this.#next(commit, index);
      if ('difference' in next) return next.difference;
      this.#apply(commit.events.slice(index, index + next.count));
      index += next.count;
    }
    const isPause = commit.events.some(({ type }) => type === 'run.paused');
    this.#tasks.committed(this.#program, this.#draft.run, isPause);
    return undefined;
  }

  #apply(events: readonly StoredEvent[]): void {
    for (const event of events) {
      this.#draft.run.at = Math.max(this.#now, this.#draft.run.at);
      applyEvent(this.#draft, event);
      if (event.type === 'run.claimed' || event.type === 'run.released') this.#tasks.dropAll();
    }
  }

  /** How many of the events from `index` on come of one of the things that may come next. */
  async #next(commit: Commit, index: number): Promise<Next> {
    const recorded = commit.events.slice(index);
    const input = await recordedInput({ commit, index, run: this.#draft.run }, this.#sources);
    if (input === undefined) return await this.#fromWithin(commit, recorded);
    const { match, closest } = this.#match(commit, recorded, input.map(given));
    if (match !== undefined) return this.#found(match);
    if (isTakenAsIs(recorded[0]!)) return { count: 1 };
    return { difference: departure({ recorded, run: this.#draft.run, closest }) };
  }

  readonly #sources: Sources = {
    program: version => this.#build.program(version),
    past: seq => foldCommits(initialState(), this.#history, seq),
  };

  #found({ candidate, trial }: Match): Next {
    candidate.found();
    const { body } = candidate;
    if (body.type === 'migrate') this.#program = body.to;
    if (body.type === 'fork' && body.onto !== undefined) this.#program = body.onto.to;
    return { count: trial.events.length };
  }

  /** From handlers, or from time: handlers are waited for as long as they move. */
  async #fromWithin(commit: Commit, recorded: readonly StoredEvent[]): Promise<Next> {
    const { run } = this.#draft;
    const ref = refOf(recorded[0]!, run);
    const waiting = new Waiting(this.#patience);
    let closest: Trial | undefined;
    for (let moves = -1; ; await waiting.turn()) {
      if (moves !== this.#moves) {
        moves = this.#moves;
        const matched = this.#match(commit, recorded, this.#tasks.candidates(ref, run));
        if (matched.match !== undefined) return this.#found(matched.match);
        closest = matched.closest;
        waiting.again();
      }
      if (this.#give(recorded[0]!) || !waiting.isQuiet || this.#giveMore(recorded)) continue;
      const task = this.#tasks.at(ref);
      const undone = task?.undone(this.#ends.get(nodeKey(task.task)) ?? []) ?? [];
      const isHeld = task === undefined ? this.#tasks.all.every(one => one.isHeld) : isStuck(task, undone);
      if (!isHeld && !waiting.isOver) continue;
      if (!isHeld && task?.giveUpWaiting()) continue;
      const handler = task?.task.handler.handler;
      const missing = handler === undefined || this.#build.handler(handler) !== undefined ? undefined : handler;
      return { difference: departure({ recorded, run, closest, undone, missing }) };
    }
  }

  #match(commit: Commit, recorded: readonly StoredEvent[], candidates: Iterable<Candidate>): Matched {
    let closest: Trial | undefined;
    for (const candidate of candidates) {
      const command = { body: candidate.body, at: this.#now, actor: commit.actor };
      const trial = tried(this.#program, this.#draft.run, command, recorded);
      if (trial.fits && trial.difference === undefined) return { match: { candidate, trial }, closest };
      if (trial.events.length > 0 || trial.refusal !== undefined) closest = closerOf(closest, trial);
      else if (candidate.isHead) candidate.found();
    }
    return { match: undefined, closest };
  }

  /** Gives a handler what the log says of an operation it waits for. */
  #give({ type, data }: StoredEvent): boolean {
    const { op, value, error, again } = data as Partial<RunEvents['op.recorded']>;
    const task = op === undefined ? undefined : this.#tasks.at(data as unknown as NodeRef);
    if (task === undefined || op === undefined) return false;
    if (type === 'op.recorded' && again !== true) return task.give(op, { value, error });
    return type === 'op.doubted' && task.expire(op);
  }

  /** What the next event does not show: a limit in time, or an operation whose end stands behind what time had brought. */
  #giveMore(recorded: readonly StoredEvent[]): boolean {
    const [{ type, data }] = recorded as readonly [StoredEvent];
    const task = this.#tasks.at(data as unknown as NodeRef);
    const { status } = this.#draft.run;
    if (task !== undefined && type === 'node.cancelled' && status === 'cancelling' && task.breakOff()) return true;
    if (task !== undefined && isJsonObject(data.error) && data.error.code === 'Timeout' && task.timeOut()) return true;
    return recorded.some(event => this.#give(event));
  }
}

type Next = { readonly count: number } | { readonly difference: Departure };

interface Match {
  readonly candidate: Candidate;
  readonly trial: Trial;
}

interface Matched {
  readonly match: Match | undefined;
  /** What came nearest to what the log has. */
  readonly closest: Trial | undefined;
}

/** That which goes along with the log for longest; the first where none begins as the log does. */
function closerOf(before: Trial | undefined, now: Trial): Trial {
  if (before === undefined) return now;
  const reached = (trial: Trial) => (trial.fits ? (trial.difference?.seq ?? 0) : -1);
  return reached(now) > reached(before) ? now : before;
}

/** Nothing can come of it any more but what it has reported: that, or an operation without an end, is the difference. */
function isStuck(task: ReplayedTask, undone: readonly string[]): boolean {
  return task.reported.length > 0 || undone.length > 0;
}

/** Erased values stand alone, or as the value of a change. */
function holdsErased(data: JsonObject): boolean {
  const changes = Array.isArray(data.changes) ? (data.changes as readonly JsonValue[]) : [];
  const values = changes.flatMap(change => (isJsonObject(change) ? [change.value, ...listOf(change.value)] : []));
  return [...Object.values(data), ...values].some(isErased);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) && value.length === 1 ? value : [];
}
