import {
  type CommandBody,
  type Decision,
  isSignalboxError,
  nextTick,
  type OpReport,
  type Principal,
  type Program,
  type Run,
  type RunEvent,
  type TaskEnd,
} from '@signalbox/kernel';
import { type Clock, isStoreConflict } from '@signalbox/ports';
import type { ExecutionHost, TaskExecution } from '../journal/execution.ts';
import { unreadable } from '../log/commit-codec.ts';
import type { LoadedRun } from '../log/run-log.ts';
import { Alarm } from './alarm.ts';
import { checkCommand } from './check-command.ts';
import { type CommandExtras, CommandQueue, type Queued, takenMeanwhile, voided } from './command-queue.ts';
import { DRIVER, type DriverDeps } from './driver-deps.ts';
import { Executions, endOf, reportOf, tasksByKey } from './executions.ts';
import { executionsOf, type FailedFlight, type Flight, Flights } from './flights.ts';
import { HeldRun } from './held-run.ts';
import { failureInstead, NotDecided, rejectionOf } from './not-decided.ts';
import { Caution, mayRunAhead } from './run-ahead.ts';
import { tellCommit, tellError } from './tell.ts';

/** Nothing was done about the command: the driver had lost the run before its turn came. Another driver may take it. */
export class DriverLost extends Error {}

const NOTHING: Decision = { events: [] };

/**
 * Drives one run in this process.
 *  1. Commits follow one another; what is reported while one is waited for goes together into the next. After the plain
 *     end of a node the next step may begin before the commit has landed (`mayRunAhead`), at most `runAhead` of them.
 *  2. A lost compare-and-set: the run is loaded anew, what began on what was lost is given up, and the same commands are
 *     decided again. A lost term: it stops.
 *  3. An effect begins only after all facts before it have landed; so does whatever is told to anybody.
 *  4. Nothing is kept once the run only waits: `idle` resolves and the driver is dropped.
 */
export class RunDriver implements ExecutionHost {
  readonly runId: string;
  readonly #deps: DriverDeps;
  readonly #held: HeldRun;
  readonly #queue = new CommandQueue();
  readonly #flights = new Flights();
  readonly #caution: Caution;
  readonly #executions: Executions;
  readonly #alarm: Alarm;
  #working = false;
  #scheduled: 'none' | 'later' | 'now' = 'none';
  #driving = false;
  #lost: unknown;
  #stopping = false;
  readonly #idleWaiters: (() => void)[] = [];

  constructor(deps: DriverDeps, runId: string, program: Program, loaded: LoadedRun | undefined) {
    this.#deps = deps;
    this.runId = runId;
    this.#held = new HeldRun(deps, runId, program, loaded);
    this.#caution = new Caution(deps.runAhead);
    this.#alarm = new Alarm(deps.clock, () => this.#internal({ type: 'tick' }));
    this.#executions = new Executions(deps, {
      host: this,
      term: () => this.#held.term,
      run: () => this.current(),
      queue: body => this.#internal(body),
      commits: () => this.#flights.last,
      isQueued: execution => this.#queue.holds(execution),
    });
  }

  current(): Run {
    return this.#held.run;
  }

  /** The run as it is now for whoever comes next, when this driver is done with it. */
  rested(): LoadedRun | undefined {
    return this.isIdle && !this.lost ? this.#held.rested() : undefined;
  }

  get clock(): Clock {
    return this.#deps.clock;
  }

  get program(): Program {
    return this.#held.program;
  }

  /**
   * Decides a command on this run; resolves when its events are durable. A refusal is in the decision, not
   * thrown; what is no command at all is rejected, and leaves neither a trace nor what is at work disturbed.
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
    const due = nextTick(this.#held.program, this.current());
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
    if (this.#working || !this.#flights.isEmpty || head === undefined || head.seq <= this.current().seq) return;
    this.#working = true;
    try {
      await this.#reload();
    } finally {
      this.#working = false;
    }
    this.#afterCommit();
    if (this.#hasMore()) void this.#work();
    // A run that was lost meanwhile leaves nothing to wait for.
    this.#settleIdle();
  }

  /** Ends in good order: handlers are told to stop, what they still report is recorded, and the run is released. */
  async stop(grace: number): Promise<void> {
    this.#stopping = true;
    await Promise.race([this.idle(), new Promise<void>(resolve => this.clock.at(this.clock.now() + grace, resolve))]);
    this.#executions.dropAll('The process stops.');
    if (this.#held.isClaimed)
      await this.#request({ type: 'release', term: this.#held.term }).catch(error => this.#tell(error));
    // Whoever waits for the driver need not wait for what was dropped.
    this.#settleIdle();
  }

  // ── ExecutionHost ──────────────────────────────────────────────────────────────────────────────────────────

  report(execution: TaskExecution, op: OpReport): void {
    const open = this.#queue.openReport(execution);
    if (open === undefined) this.#internal(reportOf(execution.task, this.#held.term, [op]), execution, 'later');
    else (open.ops as OpReport[]).push(op);
    this.#wake('later');
  }

  finish(execution: TaskExecution, end: TaskEnd): void {
    const open = this.#queue.openReport(execution);
    if (open === undefined) this.#internal(endOf(execution.task, this.#held.term, end), execution);
    else Object.assign(open, { end });
    this.#wake('now');
  }

  flushed(): Promise<void> {
    if (this.#lost !== undefined) return new Promise(() => {});
    const flushed = this.#queue.flushed();
    if (flushed === undefined) return Promise.resolve();
    this.#wake('now');
    return flushed;
  }

  // ── the queue ──────────────────────────────────────────────────────────────────────────────────────────────

  /** Once lost, the draft is void: code that still runs somewhere must not have anything decided on it. */
  #enqueue(queued: Queued): void {
    if (this.#lost !== undefined) return queued.reject(new DriverLost());
    this.#queue.push(queued);
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
    if (this.#scheduled === 'now' || this.#scheduled === when) return;
    this.#scheduled = when;
    if (when === 'later') this.clock.soon(() => this.#scheduled === 'later' && void this.#work());
    else if (!this.#working) queueMicrotask(() => void this.#work());
  }

  async #work(): Promise<void> {
    this.#scheduled = 'none';
    if (this.#working) return;
    this.#working = true;
    try {
      while (this.#hasMore()) {
        const breath = this.#deps.breath.take();
        if (breath !== undefined) await breath;
        else if (this.#flights.haveFailed) await this.#recover();
        else {
          await this.#workBatch(this.#queue.takeBatch());
          if (!this.#flights.haveFailed) this.#afterCommit();
        }
      }
    } catch (error) {
      this.#lose(error);
    } finally {
      this.#working = false;
      this.#settleIdle();
    }
  }

  #hasMore(): boolean {
    if (this.#scheduled === 'now') this.#scheduled = 'none';
    return this.#flights.haveFailed || !(this.#queue.isEmpty || this.#scheduled === 'later');
  }

  /** Decides a batch and sends its commit off; waits until that has landed, unless the run may go on before. */
  async #workBatch(batch: Queued[]): Promise<void> {
    try {
      const firstSeq = this.current().seq + 1;
      const decisions = await this.#decideAll(batch);
      if (decisions === undefined) return this.#queue.putBack(batch);
      const events = decisions.flatMap(decision => decision.events);
      if (this.#mayClaim()) events.push(...this.#claim());
      const flight = { batch, decisions, events, firstSeq };
      if (events.length === 0) return this.#carriedOut(flight);
      const goesOn = this.#mayGoOn(batch, events);
      this.#flights.send(flight, this.#held.commit(flight, goesOn), landed => this.#landed(landed));
      if (!goesOn) await this.#whenLanded(flight);
    } catch (error) {
      await this.#flights.settled();
      const isRejected = error instanceof NotDecided;
      this.#reject(batch, queued => (isRejected ? rejectionOf(queued.body, error.thrown) : error));
      // A command that is rejected is no loss: the run was looked at again.
      if (isRejected) this.#queue.flush();
      else this.#lose(error);
    }
  }

  async #whenLanded({ events }: Pick<Flight, 'events'>): Promise<void> {
    await this.#flights.settled();
    if (this.#flights.haveFailed) return;
    if (events.some(event => event.type === 'payload.erased')) await this.#forgetErased();
    if (this.#held.isSnapshotDue()) await this.#held.saveSnapshot();
  }

  #claim(): readonly RunEvent[] {
    const events = this.#held.claim();
    this.#caution.claimed(this.current());
    return events;
  }

  #mayGoOn(batch: readonly Queued[], events: readonly RunEvent[]): boolean {
    const { runAhead, store } = this.#deps;
    // Without a chain, a commit could land on one of somebody else's that is as long as what it was decided on.
    if (!store.features.chained || this.#flights.size + 1 >= runAhead) return false;
    return mayRunAhead(batch, events) && !this.#held.isSnapshotDue(1) && !this.#caution.takesStep();
  }

  #landed(flight: Flight | undefined): void {
    if (flight !== undefined) {
      this.#carriedOut(flight);
      const { firstSeq, events } = flight;
      tellCommit(this.#deps, { runId: this.runId, firstSeq, events }, this.current());
    } else if (this.#lost !== undefined) this.#rejectFailed();
    else if (!this.#working) return void this.#work();
    this.#settleIdle();
  }

  #carriedOut({ batch, decisions }: Omit<Flight, 'number'>): void {
    this.#queue.dealtWith(batch.length);
    for (const [index, queued] of batch.entries()) queued.resolve(decisions[index]!);
    this.#queue.flush();
  }

  #reject(batch: readonly Queued[], reason: (queued: Queued) => unknown): void {
    this.#queue.dealtWith(batch.length);
    for (const queued of batch) queued.reject(reason(queued));
  }

  #rejectFailed(): void {
    for (const { batch } of this.#flights.takeFailed()) this.#reject(batch, () => new DriverLost());
  }

  /** Commits have failed: the same commands are decided again on the run as the store has it, if it is still ours. */
  async #recover(): Promise<void> {
    await this.#flights.settled();
    const failed = this.#flights.takeFailed();
    try {
      await this.#reloadAfter(failed);
    } catch (error) {
      for (const { batch } of failed) this.#reject(batch, () => error);
      throw error;
    }
    const again = failed.flatMap(({ batch, error }) =>
      batch.map(queued => {
        if (!takenMeanwhile(queued, error)) return queued;
        queued.reject(error);
        return voided(queued);
      }),
    );
    this.#queue.putBack(again);
  }

  async #reloadAfter(failed: readonly FailedFlight[]): Promise<void> {
    const { error, batch, number, firstSeq } = failed[0]!;
    if (!isStoreConflict(error) || batch.some(({ body }) => body.type === 'start')) throw error;
    this.#executions.giveUpSince(number, executionsOf(failed));
    await this.#reload();
    const isTaken = failed.some(flight => flight.batch.some(queued => takenMeanwhile(queued, flight.error)));
    // Nobody has written to it, and yet it cannot be written: deciding again would go on for ever.
    if (!isTaken && this.current().seq < firstSeq)
      throw unreadable(this.runId, firstSeq, 'the store takes nothing there');
  }

  /**
   * Undefined when one of them could not be decided, or what they were decided on is void: all are decided again.
   * @throws NotDecided of a command from outside, which is rejected and leaves no trace.
   */
  async #decideAll(batch: readonly Queued[]): Promise<Decision[] | undefined> {
    const decisions: Decision[] = [];
    for (const queued of batch) {
      try {
        decisions.push(this.#isVoid(queued) ? NOTHING : this.#held.decide(queued));
      } catch (error) {
        if (!(error instanceof NotDecided) || queued.body.type === 'start') throw error;
        await this.#flights.settled();
        if (this.#flights.haveFailed) return undefined;
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

  #isVoid({ isVoid, execution }: Queued): boolean {
    return isVoid === true || this.#executions.hasGivenUp(execution);
  }

  /** What was erased is in snapshots and in memory still. */
  async #forgetErased(): Promise<void> {
    await this.#deps.store.dropSnapshots(this.runId);
    await this.#reload();
  }

  #tell(error: unknown): void {
    tellError(this.#deps, error, { runId: this.runId });
  }

  async #reload(): Promise<void> {
    await this.#held.reload();
    // Who held the run meanwhile has recorded what they do not know of, whether it is taken back now or not.
    if (!this.#held.isClaimed) this.#dropAll();
  }

  #dropAll(): void {
    this.#executions.dropAll('The run is driven elsewhere.');
    this.#queue.forgetWaiters();
  }

  /** The run is somebody else's now, or cannot be written: nothing more is done for it here. */
  #lose(error: unknown): void {
    const conflict = isSignalboxError(error) && (error.code === 'TermLost' || error.code === 'StoreConflict');
    if (!conflict) this.#tell(error);
    this.#lost = error;
    this.#alarm.clear();
    this.#dropAll();
    this.#rejectFailed();
    this.#queue.rejectAll(new DriverLost());
  }

  get lost(): boolean {
    return this.#lost !== undefined;
  }

  // ── tasks ──────────────────────────────────────────────────────────────────────────────────────────────────

  /** A driver that begins with the run itself claims it in its first commit. */
  claimByStart(): { readonly owner: string; readonly build: string } {
    return this.#held.claimByStart();
  }

  /** Not from a driver that may be alive: whether it is, `drive` is told before it is called. */
  #mayClaim(): boolean {
    const { owner } = this.current();
    if (this.#held.isClaimed || this.#stopping || !this.#held.hasWork() || !this.#held.mayDrive()) return false;
    return owner === undefined || owner === this.#deps.owner || this.#driving;
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
    const tasks = tasksByKey(this.#held.tasks());
    this.#executions.dropLeft(tasks);
    if (tasks.size > 0)
      if (!this.#driving) this.#deps.schedule(this.runId, this.#deps.clock.now());
      else if (run.status === 'cancelling') this.#executions.cancel(tasks);
      else if (!this.#stopping) this.#executions.begin(tasks);
    this.#alarm.set(this.#executions.size === 0 ? undefined : nextTick(this.#held.program, run), run.seq);
  }

  get isIdle(): boolean {
    if (this.#working || !this.#queue.isEmpty || !this.#flights.isEmpty) return false;
    return this.#executions.size === 0 || this.#lost !== undefined;
  }

  #settleIdle(): void {
    if (!this.isIdle) return;
    const due =
      this.#lost === undefined && this.current().seq > 0 ? nextTick(this.#held.program, this.current()) : undefined;
    if (due !== undefined) this.#deps.schedule(this.runId, due);
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }
}
