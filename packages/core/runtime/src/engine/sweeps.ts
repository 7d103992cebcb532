import type { Clock, EventStore, Host } from '@signalbox/ports';
import type { RunDriver } from '../drive/run-driver.ts';
import { isSessionStream } from '../session/session-id.ts';
import type { Sessions } from '../session/sessions.ts';
import type { Background } from './background.ts';
import { Coalesced } from './coalesced.ts';
import type { Drivers } from './drivers.ts';
import type { DueRuns } from './due-runs.ts';
import { ForeignChanges } from './foreign-changes.ts';
import type { RunChanges } from './run-changes.ts';

/** What the sweeps need of the engine. */
export interface SweepsDeps {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly host: Host;
  readonly owner: string;
  /** How long this process counts as alive after its last sign of life, ms. */
  readonly lease: number;
  readonly sessions: Sessions;
  readonly drivers: Drivers;
  readonly dueRuns: DueRuns;
  readonly changes: RunChanges;
  readonly background: Background;
}

/**
 * Looks for work: what an earlier process left behind, what falls due, what others write.
 *  1. This process gives signs of life, three to a lease, for as long as it may take up runs.
 *  2. A sweep looks at every due run, so nothing depends on having been told; what it does not find the next one does.
 *  3. Beyond what is due now, the next sweep comes no later than the next run falls due.
 *  4. What another process has written leads to the streams that it wrote, or to a sweep where these are too many.
 */
export class Sweeps {
  readonly #deps: SweepsDeps;
  readonly #foreign: ForeignChanges;
  readonly #sweeps = new Coalesced(() => this.#lookAround());
  readonly #follows = new Coalesced(() => this.#follow());
  #ready: Promise<void> | undefined;
  #next: { readonly at: number; readonly cancel: () => void } | undefined;
  #stops: readonly (() => void)[] = [];

  constructor(deps: SweepsDeps) {
    this.#deps = deps;
    this.#foreign = new ForeignChanges(deps.store);
  }

  /** Resolves when this process has begun to look for work, which it does with the first who asks. */
  ready(): Promise<void> {
    this.#ready ??= this.#begin().catch(error => {
      this.#ready = undefined; // A store that cannot be reached now may be reached by the next who asks.
      throw error;
    });
    return this.#ready;
  }

  stop(): void {
    this.#next?.cancel();
    for (const stop of this.#stops) stop();
  }

  async #begin(): Promise<void> {
    const { store, clock, lease, background } = this.#deps;
    await this.#beat();
    const stopBeating = clock.every(lease / 3, () => void background.quietly(this.#beat()));
    const stopSweeping = clock.every(Math.max(1_000, lease / 2), () => void background.quietly(this.#sweeps.run()));
    const stopWatching = store.onForeignCommit(() => void background.quietly(this.#follows.run()));
    this.#stops = [stopBeating, stopSweeping, stopWatching];
    await background.quietly(this.#sweeps.run());
  }

  async #beat(): Promise<void> {
    const { store, clock, owner, lease } = this.#deps;
    await store.lease(owner, clock.now() + lease);
  }

  /** Looks for due runs and hands them to the host; the next timer beyond is scheduled too. */
  async #lookAround(): Promise<void> {
    const { clock, host, owner, drivers, dueRuns, background } = this.#deps;
    if (background.stopped) return;
    await this.#foreign.skip();
    const now = clock.now();
    const seen = new Set<string>();
    // To the end: runs at work here, and those that nobody can drive, are due all the while and must hide no others.
    for await (const due of dueRuns.all(now)) {
      seen.add(due.runId);
      const known = drivers.of(due.runId);
      if (known !== undefined && due.owner === owner) void background.quietly(known.then(driver => driver.refresh()));
      else if (!dueRuns.isLeftAlone(due.runId, now)) host.schedule(due.runId, now);
    }
    dueRuns.keepOnly(seen);
    await this.#awaitNext(now);
  }

  /** Another process has written: the streams that changed are looked at, and no others. */
  async #follow(): Promise<void> {
    const { clock, host, sessions, drivers, dueRuns, changes, background } = this.#deps;
    if (background.stopped) return;
    const changed = await this.#foreign.take();
    if (changed === undefined) {
      changes.changedAll();
      return await this.#sweeps.run();
    }
    const now = clock.now();
    for (const [stream, lastSeq] of changed) {
      changes.rested(stream);
      const known = drivers.of(stream);
      if (isSessionStream(stream)) await sessions.follow(stream);
      else if (known !== undefined)
        void background.quietly(
          known.then(driver => refreshTo(driver, lastSeq)),
          stream,
        );
      else if (await dueRuns.isLeft(stream)) host.schedule(stream, now);
    }
    await this.#awaitNext(now);
  }

  async #awaitNext(now: number): Promise<void> {
    const next = await this.#deps.store.nextDue(now);
    if (next !== undefined && !this.#deps.background.stopped) this.#sweepAt(next);
  }

  #sweepAt(at: number): void {
    if (this.#next !== undefined && this.#next.at <= at) return;
    this.#next?.cancel();
    const cancel = this.#deps.clock.at(at, () => {
      this.#next = undefined;
      void this.#deps.background.quietly(this.#sweeps.run());
    });
    this.#next = { at, cancel };
  }
}

/** What a driver has written itself it knows. */
async function refreshTo(driver: RunDriver, seq: number): Promise<void> {
  if (driver.current().seq < seq) await driver.refresh();
}
