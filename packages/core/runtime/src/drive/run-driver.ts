import {
  type Command,
  type CommandBody,
  type Decision,
  Draft,
  decideOn,
  handlersOf,
  initialState,
  isSignalboxError,
  nextTick,
  type OpReport,
  type Principal,
  type Program,
  type Run,
  type RunEvent,
  ready,
  SignalboxError,
  type TaskEnd,
} from '@signalbox/kernel';
import { type Clock, type CommitBatch, isStoreConflict } from '@signalbox/ports';
import type { ExecutionHost, TaskExecution } from '../journal/execution.ts';
import { unreadable } from '../log/commit-codec.ts';
import { type LoadedRun, loadRun } from '../log/run-log.ts';
import { Alarm } from './alarm.ts';
import { checkCommand } from './check-command.ts';
import { DRIVER, type DriverDeps } from './driver-deps.ts';
import { Executions, tasksByKey } from './executions.ts';
import { failureInstead, isUnmoved, NotDecided, rejectionOf } from './not-decided.ts';
import { RunWriter } from './run-writer.ts';

/** What goes with a command into its commit. */
export interface CommandExtras {
  readonly commandId?: { readonly id: string; readonly outcome: (decision: Decision, run: Run) => string };
  readonly startKey?: CommitBatch['startKey'];
  readonly documents?: CommitBatch['documents'];
  readonly erasures?: CommitBatch['erasures'];
}

interface Queued {
  /** Replaced when it cannot be decided: see `failureInstead`. */
  body: CommandBody;
  readonly actor: Principal;
  readonly extras: CommandExtras;
  readonly outside: boolean;
  /** Of a report: the execution it came from. */
  readonly execution?: TaskExecution;
  readonly resolve: (decision: Decision) => void;
  readonly reject: (error: unknown) => void;
}

const ENDED = new Set(['completed', 'failed', 'cancelled']);

/** Nothing was done about the command: the driver had lost the run before its turn came. Another driver may take it. */
export class DriverLost extends Error {}

/**
 * Drives one run in this process.
 *  1. One commit at a time; what is reported while one is under way goes together into the next.
 *  2. A lost compare-and-set: the run is loaded anew and the same commands are decided again. A lost term: it stops.
 *  3. A handler starts only after the commit that started its node; an effect only after all facts before it.
 *  4. Nothing is kept once the run only waits: `idle` resolves and the driver is dropped.
 */
export class RunDriver implements ExecutionHost {
  readonly runId: string;
  readonly #deps: DriverDeps;
  #program: Program;
  #draft: Draft;
  #writer: RunWriter;
  readonly #queue: Queued[] = [];
  readonly #executions: Executions;
  readonly #alarm: Alarm;
  #working = false;
  #scheduled: 'none' | 'later' | 'now' = 'none';
  /** The term under which this driver holds the run; a run that has gone on to another is not this driver's. */
  #term = -1;
  #driving = false;
  #lost: unknown;
  /** A value was erased that the run held here still holds. */
  #outdated = false;
  #stopping = false;
  #queuedSeq = 0;
  #durableSeq = 0;
  readonly #flushWaiters: { seq: number; resolve: () => void; reject: (error: unknown) => void }[] = [];
  readonly #idleWaiters: (() => void)[] = [];

  constructor(deps: DriverDeps, runId: string, program: Program, loaded: LoadedRun | undefined) {
    this.#deps = deps;
    this.runId = runId;
    this.#program = program;
    this.#draft = new Draft(loaded?.run ?? initialState());
    // Another driver of this process held it and went when it only waited: its term is as good as a new one.
    if (loaded?.run.owner === deps.owner) this.#term = loaded.run.term;
    this.#writer = new RunWriter(deps, loaded);
    this.#alarm = new Alarm(deps.clock, () => this.#internal({ type: 'tick' }));
    this.#executions = new Executions(deps, {
      host: this,
      term: () => this.#term,
      run: () => this.current(),
      queue: body => this.#internal(body),
      isQueued: execution => this.#queue.some(queued => queued.execution === execution),
    });
  }

  current(): Run {
    return this.#draft.run;
  }

  /** The run as it is now for whoever comes next, when this driver is done with it. */
  rested(): LoadedRun | undefined {
    if (!this.isIdle || this.lost || this.#outdated || this.current().seq === 0) return undefined;
    return { run: this.#draft.snapshot(), ...this.#writer.place };
  }

  get clock(): Clock {
    return this.#deps.clock;
  }

  get program(): Program {
    return this.#program;
  }

  /**
   * Decides a command on this run; resolves when its events are durable. A refusal is in the decision, not thrown; what is no
   * command at all is rejected, and leaves neither a trace nor what is at work disturbed.
   */
  submit(body: CommandBody, actor: Principal, extras: CommandExtras = {}): Promise<Decision> {
    if (this.#lost !== undefined) return Promise.reject(new DriverLost());
    return new Promise((resolve, reject) => {
      checkCommand(body);
      this.#enqueue({ body, actor, extras, outside: true, resolve, reject });
      this.#wake('now');
    });
  }

  /** Takes the run over, if nobody else drives it, and carries it as far as it goes. Resolves when it only waits. */
  async drive(): Promise<void> {
    if (this.#lost !== undefined) return;
    this.#driving = true;
    const due = nextTick(this.#program, this.current());
    if ((due !== undefined && due <= this.#deps.clock.now()) || this.#mayClaim()) this.#internal({ type: 'tick' });
    if (!this.#working) this.#dispatch();
    await this.idle();
    this.#driving = false;
  }

  idle(): Promise<void> {
    if (this.isIdle) return Promise.resolve();
    return new Promise(resolve => this.#idleWaiters.push(resolve));
  }

  /** Another process has written to this run: look again. */
  async refresh(): Promise<void> {
    const head = await this.#deps.store.head(this.runId);
    if (this.#working || head === undefined || head.seq <= this.current().seq) return;
    await this.#reload();
    this.#afterCommit();
  }

  /** Ends in good order: handlers are told to stop, what they still report is recorded, and the run is released. */
  async stop(grace: number): Promise<void> {
    this.#stopping = true;
    await Promise.race([this.idle(), new Promise<void>(resolve => this.clock.at(this.clock.now() + grace, resolve))]);
    this.#executions.dropAll('The process stops.');
    if (this.#isClaimed()) {
      await this.#request({ type: 'release', term: this.#term }).catch(error => this.#tell(error));
    }
  }

  // ── ExecutionHost ──────────────────────────────────────────────────────────────────────────────────────────

  report(execution: TaskExecution, op: OpReport): void {
    const last = this.#queue.at(-1);
    if (last?.execution === execution && last.body.type === 'report' && last.body.end === undefined)
      (last.body.ops as OpReport[]).push(op);
    else this.#internal(this.#reportOf(execution, [op]), execution, 'later');
    this.#wake('later');
  }

  finish(execution: TaskExecution, end: TaskEnd): void {
    if (execution.task.kind === 'compensation') {
      const error = end.type === 'failed' ? end.error : undefined;
      const { token, node, visit } = execution.task;
      this.#internal(
        {
          type: 'compensated',
          term: this.#term,
          ref: { token, node, visit },
          ...(error === undefined ? {} : { error }),
        },
        execution,
      );
    } else {
      const last = this.#queue.at(-1);
      if (last?.execution === execution && last.body.type === 'report' && last.body.end === undefined)
        Object.assign(last.body, { end });
      else this.#internal({ ...this.#reportOf(execution, []), end }, execution);
    }
    this.#wake('now');
  }

  flushed(): Promise<void> {
    if (this.#lost !== undefined) return new Promise(() => {});
    if (this.#durableSeq >= this.#queuedSeq) return Promise.resolve();
    this.#wake('now');
    return new Promise((resolve, reject) => this.#flushWaiters.push({ seq: this.#queuedSeq, resolve, reject }));
  }

  #reportOf(execution: TaskExecution, ops: OpReport[]): Extract<CommandBody, { type: 'report' }> {
    const { token, node, visit } = execution.task;
    return { type: 'report', term: this.#term, token, node, visit, ops };
  }

  // ── the queue ──────────────────────────────────────────────────────────────────────────────────────────────

  /** Once lost, the draft is void: code that still runs somewhere must not have anything decided on it. */
  #enqueue(queued: Queued): void {
    if (this.#lost !== undefined) return queued.reject(new DriverLost());
    this.#queue.push(queued);
    this.#queuedSeq += 1;
  }

  #internal(body: CommandBody, execution?: TaskExecution, when: 'later' | 'now' = 'now'): void {
    this.#enqueue({ body, actor: DRIVER, extras: {}, outside: false, execution, resolve: () => {}, reject: () => {} });
    this.#wake(when);
  }

  #request(body: CommandBody): Promise<Decision> {
    return new Promise((resolve, reject) => {
      this.#enqueue({ body, actor: DRIVER, extras: {}, outside: false, resolve, reject });
      this.#wake('now');
    });
  }

  /** `later`: once the code that reported has run as far as it can, so that its next facts share the commit. */
  #wake(when: 'later' | 'now'): void {
    if (this.#working || this.#scheduled === 'now' || (this.#scheduled === 'later' && when === 'later')) return;
    this.#scheduled = when;
    if (when === 'now') queueMicrotask(() => void this.#work());
    else this.clock.soon(() => void this.#work());
  }

  async #work(): Promise<void> {
    this.#scheduled = 'none';
    if (this.#working) return;
    this.#working = true;
    try {
      while (this.#queue.length > 0) {
        const breath = this.#deps.breath.take();
        if (breath === undefined) {
          await this.#workBatch(this.#takeBatch());
          this.#afterCommit();
        } else await breath;
      }
    } catch (error) {
      this.#lose(error);
    } finally {
      this.#working = false;
      this.#settleIdle();
    }
  }

  /** An outside command has a commit of its own, with its own actor; what the driver itself queued goes together. */
  #takeBatch(): Queued[] {
    if (this.#queue[0]!.outside) return [this.#queue.shift()!];
    const end = this.#queue.findIndex(queued => queued.outside);
    return this.#queue.splice(0, end === -1 ? this.#queue.length : end);
  }

  async #workBatch(batch: Queued[]): Promise<void> {
    try {
      const decisions = await this.#decideAndCommit(batch);
      this.#durableSeq += batch.length;
      for (const [index, queued] of batch.entries()) queued.resolve(decisions[index]!);
      this.#flush();
    } catch (error) {
      this.#durableSeq += batch.length;
      const isRejected = error instanceof NotDecided;
      for (const queued of batch) queued.reject(isRejected ? rejectionOf(queued.body, error.thrown) : error);
      // A command that is rejected, or that somebody else has carried out, is no loss: the run was looked at again.
      if (isRejected || batch.some(queued => this.#takenMeanwhile(queued, error))) this.#flush();
      else this.#lose(error);
    }
  }

  async #decideAndCommit(batch: readonly Queued[]): Promise<Decision[]> {
    for (;;) {
      const firstSeq = this.current().seq + 1;
      const decisions = await this.#decideAll(batch);
      if (decisions === undefined) continue;
      const events = decisions.flatMap(decision => decision.events);
      if (this.#mayClaim()) events.push(...this.#claim());
      if (events.length === 0) return decisions;
      try {
        await this.#commit(batch, decisions, firstSeq, events);
        return decisions;
      } catch (error) {
        if (!isStoreConflict(error)) throw error;
        if (batch.some(queued => queued.body.type === 'start')) throw error;
        await this.#reload();
        if (batch.some(queued => this.#takenMeanwhile(queued, error))) throw error;
        // Nobody has written to it, and yet it cannot be written: deciding again would go on for ever.
        if (this.current().seq < firstSeq) throw unreadable(this.runId, firstSeq, 'the store takes nothing there');
      }
    }
  }

  /**
   * Undefined when one of them could not be decided and a failure stands in its place: all are decided again.
   * @throws NotDecided of a command from outside, which is rejected and leaves no trace.
   */
  async #decideAll(batch: readonly Queued[]): Promise<Decision[] | undefined> {
    const decisions: Decision[] = [];
    for (const queued of batch) {
      try {
        decisions.push(this.#decided(queued));
      } catch (error) {
        if (!(error instanceof NotDecided) || queued.body.type === 'start') throw error;
        await this.#reload();
        if (queued.outside) throw error;
        const instead = failureInstead(queued.body, error.thrown);
        if (instead === undefined) throw error.thrown;
        this.#tell(error.thrown);
        queued.body = instead;
        return undefined;
      }
    }
    return decisions;
  }

  #decided(queued: Queued): Decision {
    let decision: Decision;
    try {
      decision = this.#decide(queued);
    } catch (error) {
      throw new NotDecided(error);
    }
    if (queued.outside) return decision;
    const { refusal } = decision;
    if (refusal?.code === 'TermLost') throw refusal;
    if (refusal !== undefined) throw new NotDecided(refusal);
    if (isUnmoved(this.current(), queued.body, decision)) throw new NotDecided('It moves nothing.');
    return decision;
  }

  /** The command's own id is there already: it was carried out by somebody else, and trying again cannot help. */
  #takenMeanwhile({ body, extras: { commandId } }: Queued, error: unknown): boolean {
    return (
      body.type !== 'start' &&
      commandId !== undefined &&
      isStoreConflict(error) &&
      error.details.commandId === commandId.id
    );
  }

  #decide(queued: Pick<Queued, 'body' | 'actor'>): Decision {
    const command = { ...queued.body, at: this.#deps.clock.now(), actor: queued.actor } as Command;
    const decision = decideOn(this.#program, this.#draft, command);
    const { body } = queued;
    if (body.type === 'migrate' && decision.refusal === undefined) this.#program = body.to;
    return decision;
  }

  async #commit(
    batch: readonly Queued[],
    decisions: readonly Decision[],
    firstSeq: number,
    events: readonly RunEvent[],
  ): Promise<void> {
    const run = this.current();
    const commands = batch.flatMap(({ extras: { commandId } }, index) =>
      commandId === undefined ? [] : [{ id: commandId.id, outcome: commandId.outcome(decisions[index]!, run) }],
    );
    const { actor = DRIVER, extras } = batch[0] ?? {};
    await this.#writer.write(run, this.#program, {
      actor,
      firstSeq,
      events,
      commands,
      startKey: extras?.startKey,
      documents: extras?.documents,
      erasures: extras?.erasures,
      mayDrive: () => this.#mayDrive(),
    });
    if (events.some(event => event.type === 'payload.erased')) await this.#forgetErased();
    this.#outdated ||= events.some(event => event.type === 'payload.erased');
    this.#observe(run, events);
  }

  /** What was erased is in snapshots and in memory still. */
  async #forgetErased(): Promise<void> {
    await this.#deps.store.dropSnapshots(this.runId);
    await this.#reload();
  }

  /** An observer that throws must not undo what is committed. */
  #observe(run: Run, events: readonly RunEvent[]): void {
    try {
      this.#deps.observer.committed?.(run, events);
    } catch (error) {
      this.#tell(error);
    }
  }

  #tell(error: unknown): void {
    try {
      this.#deps.observer.onError?.(error, { runId: this.runId });
    } catch {} // Nobody is left to be told.
  }

  async #reload(): Promise<void> {
    const loaded = await loadRun(this.#deps.store, this.runId);
    if (loaded === undefined) throw new SignalboxError('UnknownRun', `There is no run ${this.runId}.`);
    this.#draft = new Draft(loaded.run);
    this.#writer = new RunWriter(this.#deps, loaded);
    if (loaded.run.version !== this.#program.hash)
      this.#program = await this.#deps.program(loaded.run.tenant, loaded.run.version);
    // Who held the run meanwhile has recorded what they do not know of, whether it is taken back now or not.
    if (!this.#isClaimed()) this.#dropAll();
  }

  #dropAll(): void {
    this.#executions.dropAll('The run is driven elsewhere.');
    this.#flushWaiters.length = 0; // Their code is dropped: it must not go on to its effects.
  }

  #flush(): void {
    while (this.#flushWaiters[0] !== undefined && this.#flushWaiters[0].seq <= this.#durableSeq)
      this.#flushWaiters.shift()!.resolve();
  }

  /** The run is somebody else's now, or cannot be written: nothing more is done for it here. */
  #lose(error: unknown): void {
    const conflict = isSignalboxError(error) && (error.code === 'TermLost' || error.code === 'StoreConflict');
    if (!conflict) this.#tell(error);
    this.#lost = error;
    this.#alarm.clear();
    this.#dropAll();
    for (const queued of this.#queue.splice(0)) queued.reject(new DriverLost());
  }

  get lost(): boolean {
    return this.#lost !== undefined;
  }

  // ── tasks ──────────────────────────────────────────────────────────────────────────────────────────────────

  #claim(): readonly RunEvent[] {
    const { owner, build, crashLimit } = this.#deps;
    const { events } = this.#decide({ body: { type: 'claim', owner, build, crashLimit }, actor: DRIVER });
    this.#term = this.current().term;
    return events;
  }

  #isClaimed(): boolean {
    const { owner, term } = this.current();
    return owner === this.#deps.owner && term === this.#term;
  }

  /** A driver that begins with the run itself claims it in its first commit. */
  claimByStart(): { readonly owner: string; readonly build: string } {
    this.#term = 1;
    return { owner: this.#deps.owner, build: this.#deps.build };
  }

  /** Not from a driver that may be alive: whether it is, `drive` is told before it is called. */
  #mayClaim(): boolean {
    const { owner } = this.current();
    if (this.#isClaimed() || this.#stopping || !this.#hasWork() || !this.#mayDrive()) return false;
    return owner === undefined || owner === this.#deps.owner || this.#driving;
  }

  #hasWork(): boolean {
    const run = this.current();
    if (ENDED.has(run.status) || run.seq === 0) return false;
    return run.status === 'cancelling' || ready(this.#program, run).length > 0;
  }

  #mayDrive(): boolean {
    for (const key of handlersOf(this.#program)) if (this.#deps.handler(key) === undefined) return false;
    return true;
  }

  #afterCommit(): void {
    if (this.#lost !== undefined) return;
    this.#executions.committed();
    this.#dispatch();
  }

  /** Starts what is ready and not under way; gives up what the run has left behind. */
  #dispatch(): void {
    if (this.#lost !== undefined) return;
    const run = this.current();
    const tasks = tasksByKey(this.#isClaimed() ? ready(this.#program, run) : []);
    this.#executions.dropLeft(tasks);
    if (tasks.size > 0)
      if (!this.#driving) this.#deps.schedule(this.runId, this.#deps.clock.now());
      else if (run.status === 'cancelling') this.#executions.cancel(tasks);
      else if (!this.#stopping) this.#executions.begin(tasks);
    this.#alarm.set(this.#executions.size === 0 ? undefined : nextTick(this.#program, run), run.seq);
  }

  get isIdle(): boolean {
    return !this.#working && this.#queue.length === 0 && (this.#executions.size === 0 || this.#lost !== undefined);
  }

  #settleIdle(): void {
    if (!this.isIdle) return;
    const due =
      this.#lost === undefined && this.current().seq > 0 ? nextTick(this.#program, this.current()) : undefined;
    if (due !== undefined) this.#deps.schedule(this.runId, due);
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }
}
