import {
  applyEvent,
  type CommandBody,
  type Commit,
  type CompiledContract,
  commitMillis,
  Draft,
  foldCommits,
  initialState,
  isJsonObject,
  type NodeRef,
  nodeKey,
  type OpRef,
  type OpReport,
  type Program,
  SignalboxError,
  type StoredEvent,
  type Task,
} from '@signalbox/kernel';
import { reportOf } from '../drive/executions.ts';
import type { RequestCodec } from '../journal/context.ts';
import type { Handler } from '../journal/handler.ts';
import type { Secrets } from '../sensitive/secrets.ts';
import { type Departure, departure } from './departure.ts';
import { Mentions } from './mentions.ts';
import { RecordedChecks } from './recorded-checks.ts';
import { endsByVisit, holdsErased, outcomesAt, recordedLastGood, timedFact } from './recorded-facts.ts';
import { isTakenAsIs, recordedInput, type Sources } from './recorded-input.ts';
import { RecordedLooks } from './recorded-looks.ts';
import { RecordedSpending } from './recorded-spending.ts';
import type { ReplayedTask } from './replayed-task.ts';
import { type Candidate, given, ReplayedTasks } from './replayed-tasks.ts';
import { closerOf, isFound, nextOf, refOf, type Trial, tried } from './trial.ts';
import { Waiting } from './waiting.ts';

/** The code that a run is executed with once more. */
export interface Build {
  handler(key: string): Handler | undefined;
  program(version: string): Promise<Program>;
  /** Absent where no run has an agent. */
  contract?(hash: string): Promise<CompiledContract>;
  readonly codec: RequestCodec;
  /** What is known to be sensitive in the run. */
  readonly secrets?: Secrets;
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
  readonly #ends: ReadonlyMap<string, readonly string[]>;
  readonly #mentions: Mentions;
  #draft = new Draft(initialState());
  #program!: Program;
  #now = 0;
  #moves = 0;

  constructor(history: readonly Commit[], build: Build, { patience = 2_000 }: ReExecutionOptions) {
    this.#history = history;
    this.#build = build;
    this.#patience = patience;
    const checks = new RecordedChecks(history);
    const spending = new RecordedSpending(history);
    const looks = new RecordedLooks(history);
    const world = {
      handler: (key: string) => build.handler(key),
      codec: build.codec,
      secrets: build.secrets,
      observer: {},
      agents: {
        models: undefined,
        secrets: () => undefined,
        contract: async (hash: string) => (await build.contract?.(hash)) ?? missingContract(hash),
        program: (version: string) => build.program(version),
        shared: async () => [],
        inSession: async () => undefined,
      },
      lastGood: { find: async (_: unknown, task: NodeRef) => recordedLastGood(history, task) },
      left: (task: Task, op: string) => looks.of(task, op, task.execution?.attempt),
      spending: (ref: NodeRef, report: OpReport) => spending.of(ref, report),
      now: () => this.#now,
      current: () => this.#draft.run,
      moved: () => {
        this.#moves += 1;
      },
    };
    this.#tasks = new ReplayedTasks(world, task => checks.for(task));
    this.#ends = endsByVisit(history);
    this.#mentions = new Mentions(history);
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
      for (const [index, commit] of this.#history.entries()) {
        if (index < first) continue;
        if (commit.events.some(event => holdsErased(event.data))) return came({ erased: true });
        const difference = await this.#commit(commit, ref => this.#mentions.isToldAfter(index, ref));
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

  async #commit(commit: Commit, isTold: (ref: NodeRef) => boolean): Promise<Departure | undefined> {
    this.#now = commitMillis(commit.at);
    for (let index = 0; index < commit.events.length; ) {
      const next = await this.#next(commit, index);
      if ('difference' in next) return next.difference;
      this.#apply(commit.events.slice(index, index + next.count));
      index += next.count;
    }
    const isPause = commit.events.some(({ type }) => type === 'run.paused');
    this.#tasks.committed(this.#program, this.#draft.run, isPause, isTold);
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
    if (isTakenAsIs(recorded[0]!, closest)) return { count: 1 };
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
    let hasGoneOn = false;
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
      const mayEnd = (op: string) => ref !== undefined && this.#tasks.mayStillEnd(ref, op);
      const timed = this.#match(commit, recorded, timedFact(recorded[0]!, ref, run, mayEnd));
      if (timed.match !== undefined) return this.#found(timed.match);
      const undone = task?.undone(this.#ends.get(nodeKey(task.task)) ?? []) ?? [];
      const isHeld = task === undefined ? this.#tasks.all.every(one => one.isHeld) : isStuck(task, undone);
      if (!isHeld && !waiting.isOver) continue;
      if (!isHeld && task?.giveUpWaiting()) continue;
      if (!hasGoneOn && task?.goOn()) {
        // It may be about to begin an operation that the log does not have, where the log is still within one commit.
        hasGoneOn = true;
        waiting.again();
        continue;
      }
      const difference = departure({ recorded, run, closest, undone, missing: this.#missingOf(task) });
      if (first !== undefined || task === undefined) return { difference: first ?? difference };
      first = difference;
      this.#again(task, recorded);
    }
  }

  #missingOf(task: ReplayedTask | undefined): string | undefined {
    const key = task?.task.handler?.handler;
    return key === undefined || this.#build.handler(key) !== undefined ? undefined : key;
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
    const checks = wereAsked(recorded);
    return tried(this.#program, this.#draft.run, { body, at: this.#now, actor, checks }, recorded);
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

  /** What the next event does not show: a limit in time, or an operation whose end stands behind what time had brought. */
  #giveMore(commit: Commit, recorded: readonly StoredEvent[]): boolean {
    const [{ type, data }] = recorded as readonly [StoredEvent];
    const task = this.#tasks.at(data as unknown as NodeRef);
    const { status } = this.#draft.run;
    if (task !== undefined && type === 'node.cancelled' && status === 'cancelling' && task.breakOff()) return true;
    if (task !== undefined && isJsonObject(data.error) && data.error.code === 'Timeout' && task.timeOut()) return true;
    return recorded.some((_, index) => this.#give(commit, recorded.slice(index)));
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

/** Whoever decided asked checks before nodes that have no handler: one of those that started then waited for them. */
function wereAsked(recorded: readonly StoredEvent[]): boolean {
  return recorded.some(({ data }) => data.as === 'check');
}

/** Nothing can come of it any more but what it has reported: that, or an operation without an end, is the difference. */
function isStuck(task: ReplayedTask, undone: readonly string[]): boolean {
  return task.reported.length > 0 || undone.length > 0;
}

function missingContract(hash: string): never {
  throw new SignalboxError('UnknownContract', `There is no contract ${hash} here.`, { details: { hash } });
}
