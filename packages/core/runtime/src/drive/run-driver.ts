import {
  type CommandBody,
  type Decision,
  isSignalboxError,
  nextTick,
  type OpReport,
  type Principal,
  type Program,
  type Run,
  type TaskEnd,
} from '@signalbox/kernel';
import type { Clock } from '@signalbox/ports';
import type { ExecutionHost, TaskExecution } from '../journal/execution.ts';
import type { LoadedRun } from '../log/run-log.ts';
import { maskedError } from '../sensitive/masked-error.ts';
import type { Secrets } from '../sensitive/secrets.ts';
import { Alarm } from './alarm.ts';
import { Batches, type BatchesOf, DriverLost } from './batches.ts';
import { checkCommand } from './check-command.ts';
import { type CommandExtras, CommandQueue, type Queued } from './command-queue.ts';
import { DRIVER, type DriverDeps, type Observer } from './driver-deps.ts';
import { Executions, endOf, reportOf, tasksByKey } from './executions.ts';
import { HeldRun } from './held-run.ts';
import { tellError } from './tell.ts';

const SETTLED = Promise.resolve();
const NO_EXTRAS: CommandExtras = {};
/** What the driver queues by itself nobody waits for. */
const toNobody = () => {};

/**
 * Drives one run in this process.
 *  1. Commits follow one another; what is reported while one is waited for goes together into the next. After the plain
 *     end of a node the next step may begin before the commit has landed (`neededBeforeNext`), at most `runAhead` of them.
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
  readonly #batches: Batches;
  readonly #executions: Executions;
  readonly #alarm: Alarm;
  #working = false;
  #scheduled: 'none' | 'later' | 'now' = 'none';
  #looksSoon = false;
  readonly #go = () => void this.#work();
  #driving = false;
  /** Who owned the run when it was to be driven: whoever owns it by now may be alive. */
  #takesFrom: string | undefined;
  #lost: unknown;
  #stopping = false;
  readonly #idleWaiters: (() => void)[] = [];

  constructor(deps: DriverDeps, runId: string, program: Program, loaded: LoadedRun | undefined) {
    this.#deps = { ...deps, observer: this.#withMasks(deps.observer) };
    this.runId = runId;
    this.#held = new HeldRun(this.#deps, runId, program, loaded);
    this.#alarm = new Alarm(deps.clock, () => this.#tick());
    this.#executions = new Executions(this.#deps, {
      host: this,
      term: () => this.#held.term,
      run: () => this.current(),
      queue: body => this.#internal(body),
      commits: () => this.#batches.sent,
      isQueued: execution => this.#queue.holds(execution),
    });
    this.#batches = new Batches(this.#deps, this.#ofBatches());
  }

  /** What goes wrong is told to a log. */
  #withMasks(observer: Observer): Observer {
    return {
      ...observer,
      onError: (error, where) => observer.onError?.(maskedError(error, this.#held.secrets), where),
    };
  }

  #ofBatches(): BatchesOf {
    const isLost = () => this.lost;
    return {
      runId: this.runId,
      queue: this.#queue,
      held: this.#held,
      executions: this.#executions,
      get lost() {
        return isLost();
      },
      mayClaim: () => this.#mayClaim(),
      reload: () => this.#reload(),
      answered: () => this.#answered(),
    };
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
    this.#takesFrom = this.current().owner;
    if (this.current().place === 'queued') await this.#askForTurn();
    const due = this.#nextTick();
    if ((due !== undefined && due <= this.#deps.clock.now()) || this.#mayClaim()) this.#tick();
    if (!this.#working) this.#dispatch();
    await this.idle();
    this.#driving = false;
  }

  #tick(): void {
    this.#internal(this.#held.isClaimed ? { type: 'tick' } : { type: 'tick', unclaimed: true });
  }

  #nextTick(): number | undefined {
    return nextTick(this.#held.program, this.current(), !this.#held.isClaimed);
  }

  /** A run that waits for its turn in its session begins it, if it has come. */
  async #askForTurn(): Promise<void> {
    const { session } = this.current();
    if (session === undefined) return;
    await this.#deps.sessions.writer(session).refresh();
    this.#internal({ type: 'admit' });
  }

  idle(): Promise<void> {
    if (this.isIdle) return Promise.resolve();
    return new Promise(resolve => this.#idleWaiters.push(resolve));
  }

  /** Another process has written to this run: look again. */
  async refresh(): Promise<void> {
    const head = await this.#deps.store.head(this.runId);
    if (this.#working || !this.#batches.areOver || head === undefined || head.seq <= this.current().seq) return;
    this.#working = true;
    try {
      await this.#reload();
      this.#afterCommit();
    } finally {
      this.#working = false;
      // What was reported meanwhile waited for this, whether the run could be read or not.
      if (this.#hasMore()) void this.#work();
      // A run that was lost meanwhile leaves nothing to wait for.
      this.#settleIdle();
    }
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

  get secrets(): Secrets {
    return this.#held.secrets;
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
    this.#enqueue({
      body,
      actor: DRIVER,
      extras: NO_EXTRAS,
      outside: false,
      execution,
      resolve: toNobody,
      reject: toNobody,
    });
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
    if (when === 'now') {
      // Each microtask that is asked for by name is a resource of its own to the platform; a promise's is not.
      if (!this.#working) void SETTLED.then(this.#go);
    } else if (!this.#looksSoon) {
      this.#looksSoon = true;
      this.clock.soon(() => {
        this.#looksSoon = false;
        if (this.#scheduled === 'later') void this.#work();
      });
    }
  }

  async #work(): Promise<void> {
    this.#scheduled = 'none';
    if (this.#working) return;
    this.#working = true;
    try {
      while (this.#hasMore()) {
        const breath = this.#deps.breath.take();
        if (breath !== undefined) await breath;
        // It may have been lost meanwhile, or what was queued have been dropped.
        if (!this.#hasMore()) break;
        if (this.#batches.haveFailed) await this.#batches.recover();
        else {
          await this.#batches.carryOut(this.#queue.takeBatch());
          if (!this.#batches.haveFailed) this.#afterCommit();
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
    return this.#batches.haveFailed || !(this.#queue.isEmpty || this.#scheduled === 'later');
  }

  #answered(): void {
    if (this.#batches.haveFailed && !this.#working) return void this.#work();
    this.#settleIdle();
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
    this.#batches.rejectFailed();
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
    return owner === undefined || owner === this.#deps.owner || (this.#driving && owner === this.#takesFrom);
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
    this.#alarm.set(this.#executions.size === 0 ? undefined : this.#nextTick(), run.seq);
  }

  get isIdle(): boolean {
    if (this.#working || !this.#queue.isEmpty || !this.#batches.areOver) return false;
    return this.#executions.size === 0 || this.#lost !== undefined;
  }

  #settleIdle(): void {
    if (!this.isIdle) return;
    const due = this.#lost === undefined && this.current().seq > 0 ? this.#nextTick() : undefined;
    if (due !== undefined) this.#deps.schedule(this.runId, due);
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }
}
