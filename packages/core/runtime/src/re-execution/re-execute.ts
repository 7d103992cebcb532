import {
  applyEvent,
  type CommandBody,
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
  type OpRef,
  type Program,
  type Run,
  type RunEvents,
  type StoredEvent,
} from '@signalbox/kernel';
import { reportOf } from '../drive/executions.ts';
import type { RequestCodec } from '../journal/context.ts';
import type { Handler } from '../journal/handler.ts';
import { isErased } from '../log/payloads.ts';
import { type Departure, departure } from './departure.ts';
import { RecordedChecks } from './recorded-checks.ts';
import { isTakenAsIs, recordedInput, type Sources } from './recorded-input.ts';
import type { Outcomes, ReplayedTask } from './replayed-task.ts';
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
    if (closest === undefined || isTakenAsIs(recorded[0]!, closest)) return { count: 1 };
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
    let first: Departure | undefined;
    for (let moves = -1; ; await waiting.turn()) {
      if (moves !== this.#moves) {
        moves = this.#moves;
        const matched = this.#match(commit, recorded, this.#tasks.candidates(ref, run));
        if (matched.match !== undefined) return this.#found(matched.match);
        closest = matched.closest;
        waiting.again();
      }
      if (this.#give(commit, recorded) || !waiting.isQuiet || this.#giveMore(commit, recorded)) continue;
      const task = this.#tasks.at(ref);
      const timed = this.#match(
        commit,
        recorded,
        timedFact(recorded[0]!, ref, run, op => this.#tasks.mayStillEnd(ref!, op)),
      );
      if (timed.match !== undefined) return this.#found(timed.match);
      const undone = task?.undone(this.#ends.get(nodeKey(task.task)) ?? []) ?? [];
      const isHeld = task === undefined ? this.#tasks.all.every(one => one.isHeld) : isStuck(task, undone);
      if (!isHeld && !waiting.isOver) continue;
      if (!isHeld && task?.giveUpWaiting()) continue;
      const handler = task?.task.handler.handler;
      const missing = handler === undefined || this.#build.handler(handler) !== undefined ? undefined : handler;
      const difference = departure({ recorded, run, closest, undone, missing });
      if (first !== undefined || task === undefined) return { difference: first ?? difference };
      first = difference;
      this.#again(task, recorded);
    }
  }

  #match(commit: Commit, recorded: readonly StoredEvent[], candidates: Iterable<Candidate>): Matched {
    let closest: Trial | undefined;
    for (const first of candidates)
      for (let candidate: Candidate | undefined = first; candidate !== undefined; ) {
        const trial = this.#try(candidate.body, commit, recorded);
        if (isFound(trial)) return { match: { candidate, trial }, closest };
        const isNothing = trial.events.length === 0 && trial.refusal === undefined;
        if (!isNothing) closest = closerOf(closest, trial);
        else if (candidate === first && candidate.isHead) candidate.found();
        candidate = trial.fits ? candidate.longer?.(nextOf(trial, recorded, this.#draft.run)) : undefined;
      }
    return { match: undefined, closest };
  }

  #try(body: CommandBody, { actor }: Commit, recorded: readonly StoredEvent[]): Trial {
    return tried(this.#program, this.#draft.run, { body, at: this.#now, actor }, recorded);
  }

  /** Gives a handler what the log says of operations it waits for. */
  #give(commit: Commit, recorded: readonly StoredEvent[]): boolean {
    const [{ type, data }] = recorded as readonly [StoredEvent];
    const { op, ...ref } = data as unknown as OpRef;
    const task = op === undefined ? undefined : this.#tasks.at(ref);
    if (task === undefined) return false;
    if (type === 'op.recorded') return task.give(outcomesAt(ref, recorded));
    return type === 'op.doubted' && this.#doubt(task, op, commit, recorded);
  }

  /** Either it took too long, or its driver was given up: what comes of it tells. */
  #doubt(task: ReplayedTask, op: string, commit: Commit, recorded: readonly StoredEvent[]): boolean {
    const { term } = this.#draft.run;
    const { token, node, visit } = task.task;
    const live = this.#try(reportOf(task.task, term, [{ type: 'doubt', op }]), commit, recorded);
    const givenUp = this.#try({ type: 'doubt', term, token, node, visit, op }, commit, recorded);
    if (!isFound(givenUp) || (isFound(live) && givenUp.events.length <= live.events.length)) return task.expire(op);
    this.#again(task, recorded);
    return true;
  }

  #again(task: ReplayedTask, recorded: readonly StoredEvent[]): void {
    this.#tasks.again(task, this.#program, this.#draft.run, outcomesAt(task.task, recorded));
    this.#moves += 1;
  }

  /**
   * What the next event does not show: a limit in time, an operation whose end stands behind what time had brought, or
   * one that the code begins where the log has none.
   */
  #giveMore(commit: Commit, recorded: readonly StoredEvent[]): boolean {
    const [{ type, data }] = recorded as readonly [StoredEvent];
    const task = this.#tasks.at(data as unknown as NodeRef);
    const { status } = this.#draft.run;
    if (task !== undefined && type === 'node.cancelled' && status === 'cancelling' && task.breakOff()) return true;
    if (task !== undefined && isJsonObject(data.error) && data.error.code === 'Timeout' && task.timeOut()) return true;
    if (recorded.some((_, index) => this.#give(commit, recorded.slice(index)))) return true;
    return task?.goOn() === true;
  }
}

function isFound({ fits, difference }: Trial): boolean {
  return fits && difference === undefined;
}

/**
 * Facts that are a matter of time alone: a node took too long, or what it reported could not be decided; an operation
 * ended although its handler did not wait for it, or was broken off.
 */
function timedFact(
  { type, data }: StoredEvent,
  ref: NodeRef | undefined,
  { term }: Run,
  mayStillEnd: (op: string) => boolean,
): Candidate[] {
  if (ref === undefined) return [];
  const { op = '', error, ...record } = data as Partial<RunEvents['op.recorded']>;
  if (type !== 'op.recorded' && (error?.code === 'Timeout' || error?.code === 'Internal'))
    return [given({ type: 'report', term, ...ref, ops: [], end: { type: 'failed', error } })];
  if (type !== 'op.recorded' || !mayStillEnd(op)) return [];
  const { kind = 'run', digest = '', value } = record;
  const fact = error === undefined ? { value: value ?? null } : { error };
  return [given({ type: 'report', term, ...ref, ops: [{ type: 'record', op, kind, digest, ...fact }] })];
}

/** The first event that the log has and the trial has not. */
function nextOf({ difference }: Trial, recorded: readonly StoredEvent[], run: Run): StoredEvent | undefined {
  return difference && recorded[difference.seq - run.seq - 1];
}

/** How the operations of a visit ended, as far as one commit tells. */
function outcomesAt(ref: NodeRef, recorded: readonly StoredEvent[]): Outcomes {
  const visit = nodeKey(ref);
  return recorded.flatMap(({ type, data }) => {
    if (type !== 'op.recorded' || nodeKey(data as unknown as NodeRef) !== visit) return [];
    const { op, value, error, again } = data as unknown as RunEvents['op.recorded'];
    return again === true ? [] : [[op, { value, ...(error === undefined ? {} : { error }) }] as const];
  });
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
