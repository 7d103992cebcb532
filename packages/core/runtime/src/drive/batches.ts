import type { Decision, RunEvent } from '@signalbox/kernel';
import { isCounterFull, isStoreConflict } from '@signalbox/ports';
import { withBoundsOfNow } from '../agent/shared-bounds.ts';
import { unreadable } from '../log/commit-codec.ts';
import { type CommandQueue, type Queued, takenMeanwhile, voided } from './command-queue.ts';
import type { DriverDeps } from './driver-deps.ts';
import type { Executions } from './executions.ts';
import { executionsOf, type FailedFlight, type Flight, Flights } from './flights.ts';
import type { HeldRun } from './held-run.ts';
import { failureInstead, NotDecided, rejectionOf } from './not-decided.ts';
import { Caution, type Needed, neededBeforeNext } from './run-ahead.ts';
import { Signal } from './signal.ts';
import { tellCommit, tellError } from './tell.ts';

/** Nothing was done about the command: the driver had lost the run before its turn came. Another driver may take it. */
export class DriverLost extends Error {}

/** What batches need of the driver whose they are. */
export interface BatchesOf {
  readonly runId: string;
  readonly queue: CommandQueue;
  readonly held: HeldRun;
  readonly executions: Executions;
  readonly lost: boolean;
  /** The run may be claimed by the next commit. */
  mayClaim(): boolean;
  /** The run is loaded anew, and what is not its driver's any more is given up. */
  reload(): Promise<void>;
  /** A commit has landed, or has failed and there is something to `recover`. */
  answered(): void;
}

const NOTHING: Decision = { events: [] };

/**
 * Batches of queued commands, each decided together and written as one commit.
 *  1. A batch is decided on what all before it have decided; it may be sent before they have landed (`neededBeforeNext`).
 *  2. Who queued a command is answered when its commit has landed, in order.
 *  3. When a commit fails, what is behind it fails too. What began on it is given up, and all these commands are decided
 *     again, in their order, on the run as the store has it.
 *  4. Where others have taken what was left on an account that runs share, they are decided again on what is left now.
 */
export class Batches {
  readonly #deps: DriverDeps;
  readonly #of: BatchesOf;
  readonly #flights = new Flights();
  readonly #caution: Caution;
  readonly #over = (landed: Flight | undefined) => this.#answered(landed);

  constructor(deps: DriverDeps, of: BatchesOf) {
    this.#deps = deps;
    this.#of = of;
    this.#caution = new Caution(deps.runAhead);
  }

  /** How many commits were sent. */
  get sent(): number {
    return this.#flights.last;
  }

  get haveFailed(): boolean {
    return this.#flights.haveFailed;
  }

  /** None is on its way to the store, or back from there. */
  get areOver(): boolean {
    return this.#flights.isEmpty;
  }

  /**
   * Decides a batch and sends its commit off; waits until that has landed, unless the run may go on before.
   * @throws what makes the driver lose the run; a command that is merely rejected is no loss.
   */
  async carryOut(batch: Queued[]): Promise<void> {
    try {
      await this.#decideAndSend(batch);
    } catch (error) {
      await this.#flights.settled();
      const isRejected = error instanceof NotDecided;
      this.#reject(batch, queued => (isRejected ? rejectionOf(queued.body, error.thrown) : error));
      if (!isRejected) throw error;
      this.#of.queue.flush();
    }
  }

  async #decideAndSend(batch: Queued[]): Promise<void> {
    const { held } = this.#of;
    const { seq, at: lastAt } = held.run;
    const firstSeq = seq + 1;
    const decisions: Decision[] = [];
    for (const queued of batch)
      try {
        decisions.push(this.#isVoid(queued) ? NOTHING : held.decide(queued));
      } catch (error) {
        return await this.#decideAgain(batch, queued, error);
      }
    let events = decisions.length === 1 ? decisions[0]!.events : decisions.flatMap(decision => decision.events);
    if (this.#of.mayClaim()) events = [...events, ...this.#claim(lastAt)];
    const flight = { batch, decisions, events, firstSeq };
    if (events.length === 0) return this.#carriedOut(flight);
    const needed = this.#neededBeforeNext(batch, events);
    const written = needed === 'written' ? new Signal() : undefined;
    this.#deps.breath.sent();
    const landing = held.commit(flight, { isFollowed: needed === 'nothing', written: written?.give });
    this.#flights.send(flight, landing, this.#over);
    if (needed === 'landed') await this.#whenLanded(events);
    if (written !== undefined) await Promise.race([written.given, this.#flights.settled()]);
  }

  async #whenLanded(events: readonly RunEvent[]): Promise<void> {
    const { held, runId } = this.#of;
    await this.#flights.settled();
    if (this.#flights.haveFailed) return;
    if (events.some(event => event.type === 'payload.erased')) {
      // What was erased is in snapshots and in memory still.
      await this.#deps.store.dropSnapshots(runId);
      await this.#of.reload();
    }
    if (held.isSnapshotDue()) await held.saveSnapshot();
  }

  #claim(lastAt: number): readonly RunEvent[] {
    const events = this.#of.held.claim(lastAt);
    this.#caution.claimed(this.#of.held.run);
    return events;
  }

  #neededBeforeNext(batch: readonly Queued[], events: readonly RunEvent[]): Needed {
    const { runAhead, store } = this.#deps;
    // Without a chain, a commit could land on one of somebody else's that is as long as what it was decided on.
    if (!store.features.chained || this.#flights.size + 1 >= runAhead) return 'landed';
    const needed = neededBeforeNext(batch, events);
    if (needed === 'landed' || this.#of.held.isSnapshotDue(1)) return 'landed';
    return needed === 'nothing' && this.#caution.takesStep() ? 'landed' : needed;
  }

  /**
   * One of them could not be decided, or what they were decided on is void.
   * @throws NotDecided of a command from outside, which is rejected and leaves no trace.
   */
  async #decideAgain(batch: readonly Queued[], queued: Queued, error: unknown): Promise<void> {
    if (!(error instanceof NotDecided) || queued.body.type === 'start') throw error;
    await this.#flights.settled();
    if (!this.#flights.haveFailed) await this.#replace(queued, error);
    this.#of.queue.putBack(batch);
  }

  /** A failure is decided in place of a report that cannot be. */
  async #replace(queued: Queued, error: NotDecided): Promise<void> {
    await this.#of.reload();
    if (queued.outside) throw error;
    const instead = failureInstead(queued.body, error.thrown);
    if (instead === undefined) throw error.thrown;
    tellError(this.#deps, error.thrown, { runId: this.#of.runId });
    queued.body = instead;
  }

  #isVoid({ isVoid, execution }: Queued): boolean {
    return isVoid === true || this.#of.executions.hasGivenUp(execution);
  }

  // ── what the store has answered ────────────────────────────────────────────────────────────────────────────

  #answered(flight: Flight | undefined): void {
    this.#deps.breath.answered();
    if (flight !== undefined) {
      const { firstSeq, events } = flight;
      const { runId, held } = this.#of;
      this.#carriedOut(flight);
      tellCommit(this.#deps, { runId, firstSeq, events: held.shown(events) }, held.shownRun());
    } else if (this.#of.lost) this.rejectFailed();
    this.#of.answered();
  }

  #carriedOut({ batch, decisions }: Pick<Flight, 'batch' | 'decisions'>): void {
    const { queue } = this.#of;
    queue.dealtWith(batch.length);
    for (let index = 0; index < batch.length; index += 1) batch[index]!.resolve(decisions[index]!);
    queue.flush();
  }

  #reject(batch: readonly Queued[], reason: (queued: Queued) => unknown): void {
    this.#of.queue.dealtWith(batch.length);
    for (const queued of batch) queued.reject(reason(queued));
  }

  /** Of a driver that has lost its run. */
  rejectFailed(): void {
    for (const { batch } of this.#flights.takeFailed()) this.#reject(batch, () => new DriverLost());
  }

  /** Commits have failed: the same commands are decided again on the run as the store has it, if it is still ours. */
  async recover(): Promise<void> {
    await this.#flights.settled();
    const failed = this.#flights.takeFailed();
    try {
      await this.#reloadAfter(failed);
      if (isCounterFull(failed[0]!.error)) await this.#lookAtAccounts(failed);
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
    this.#of.queue.putBack(again);
  }

  async #lookAtAccounts(failed: readonly FailedFlight[]): Promise<void> {
    const { run } = this.#of.held;
    for (const { batch } of failed)
      for (const queued of batch) queued.body = await withBoundsOfNow(this.#deps.store, run, queued.body);
  }

  async #reloadAfter(failed: readonly FailedFlight[]): Promise<void> {
    const { error, batch, number, firstSeq } = failed[0]!;
    const { executions, held, runId } = this.#of;
    if (!isStoreConflict(error) || batch.some(({ body }) => body.type === 'start')) throw error;
    executions.giveUpSince(number, executionsOf(failed));
    await this.#of.reload();
    const isTaken = failed.some(flight => flight.batch.some(queued => takenMeanwhile(queued, flight.error)));
    // Nobody has written to it, and yet it cannot be written: deciding again would go on for ever.
    const isOfSession = error.details.stream !== undefined && error.details.stream !== runId;
    if (!isTaken && !isOfSession && !isCounterFull(error) && held.run.seq < firstSeq)
      throw unreadable(runId, firstSeq, 'the store takes nothing there');
  }
}
