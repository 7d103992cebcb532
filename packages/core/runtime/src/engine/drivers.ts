import type { Decision, Program } from '@signalbox/kernel';
import { storeErrors } from '@signalbox/ports';
import type { DriverDeps } from '../drive/driver-deps.ts';
import { RunDriver } from '../drive/run-driver.ts';
import { type LoadedRun, loadRun } from '../log/run-log.ts';
import { Opening } from '../sensitive/opening.ts';
import type { Background } from './background.ts';
import { RestedRuns } from './rested-runs.ts';
import type { RunChanges } from './run-changes.ts';
import { unknownRun } from './unknown-run.ts';

interface DriverEntry {
  readonly driver: Promise<RunDriver>;
  users: number;
}

/**
 * The drivers of this process, by run.
 *  1. A run at work here has one driver here: two would both hold its term. It is known before its run is loaded, or
 *     started.
 *  2. It is kept as long as somebody uses it or it works, and goes when it only waits.
 *  3. One that has lost its run does nothing any more; whoever comes next gets another.
 */
export class Drivers {
  readonly #deps: DriverDeps;
  readonly #background: Background;
  readonly #changes: RunChanges;
  readonly #rested: RestedRuns;
  readonly #byRun = new Map<string, DriverEntry>();

  constructor(deps: DriverDeps, background: Background, changes: RunChanges) {
    this.#deps = deps;
    this.#background = background;
    this.#changes = changes;
    this.#rested = new RestedRuns(deps.store);
  }

  /** The run's driver, where there is one. */
  of(runId: string): Promise<RunDriver> | undefined {
    return this.#byRun.get(runId)?.driver;
  }

  isUsed(runId: string): boolean {
    return (this.#byRun.get(runId)?.users ?? 0) > 0;
  }

  /** Uses the run's driver, made for the purpose when there is none. */
  async use<Result>(runId: string, use: (driver: RunDriver) => Promise<Result>): Promise<Result> {
    const entry = await this.#entry(runId);
    try {
      return await use(await entry.driver);
    } finally {
      entry.users -= 1;
      if (entry.users === 0) await this.#rest(runId, entry);
      void this.#background.quietly(this.#release(runId, entry));
    }
  }

  /** The driver of a run that is yet to be started with it. */
  forStart(runId: string, program: Program): RunDriver {
    return new RunDriver(this.#deps, runId, program, undefined);
  }

  /** Known before the start has landed: whoever hears of the run before us must not make a second driver for it. */
  async started(runId: string, driver: RunDriver, start: () => Promise<Decision>): Promise<void> {
    if (this.#byRun.has(runId)) throw storeErrors.lostUpdate(runId, 0, 1);
    const entry = this.#open(runId, Promise.resolve(driver));
    entry.users += 1;
    try {
      const { refusal } = await start();
      if (refusal !== undefined) throw refusal;
    } catch (error) {
      if (this.#byRun.get(runId) === entry) this.#byRun.delete(runId);
      throw error;
    } finally {
      entry.users -= 1;
    }
  }

  /** The run as the store has it, folded only when no driver of this process has left it so. */
  async loaded(runId: string): Promise<LoadedRun> {
    const { store, keys } = this.#deps;
    const loaded = (await this.#rested.find(runId)) ?? (await loadRun(store, runId, undefined, new Opening(keys)));
    if (loaded === undefined) throw unknownRun(runId);
    return loaded;
  }

  /** As whoever looks sees it: with what is sensitive masked. */
  async seen(runId: string): Promise<LoadedRun> {
    const rested = await this.#rested.find(runId);
    const { secrets, key } = rested?.opening ?? {};
    const seen = secrets?.isEmpty === true && key === undefined ? rested : await loadRun(this.#deps.store, runId);
    if (seen === undefined) throw unknownRun(runId);
    return seen;
  }

  async stop(grace: number): Promise<void> {
    const drivers = await Promise.allSettled([...this.#byRun.values()].map(entry => entry.driver));
    await Promise.all(drivers.map(result => (result.status === 'fulfilled' ? result.value.stop(grace) : undefined)));
  }

  async #entry(runId: string): Promise<DriverEntry> {
    for (;;) {
      const entry = this.#byRun.get(runId) ?? this.#open(runId, this.#load(runId));
      entry.users += 1;
      const driver = await entry.driver.catch(() => undefined);
      if (driver?.lost !== true) return entry;
      entry.users -= 1;
      if (this.#byRun.get(runId) === entry) this.#byRun.delete(runId);
    }
  }

  #open(runId: string, driver: Promise<RunDriver>): DriverEntry {
    const entry = { driver, users: 0 };
    this.#byRun.set(runId, entry);
    return entry;
  }

  async #load(runId: string): Promise<RunDriver> {
    const loaded = await this.loaded(runId);
    const { tenant, version } = loaded.run;
    return new RunDriver(this.#deps, runId, await this.#deps.program(tenant, version), loaded);
  }

  /** Kept before anybody is told, so that whoever waited finds it. */
  async #rest(runId: string, entry: DriverEntry): Promise<void> {
    const driver = await entry.driver.catch(() => undefined);
    if (entry.users === 0) this.#keep(driver);
    this.#changes.rested(runId);
  }

  #keep(driver: RunDriver | undefined): void {
    const rested = driver?.rested();
    if (rested !== undefined) this.#rested.keep(rested);
  }

  async #release(runId: string, entry: DriverEntry): Promise<void> {
    if (entry.users > 0) return;
    const driver = await entry.driver.catch(() => undefined);
    await driver?.idle();
    if (entry.users > 0 || (driver !== undefined && !driver.isIdle) || this.#byRun.get(runId) !== entry) return;
    // It may have worked on when it was used last.
    this.#keep(driver);
    this.#byRun.delete(runId);
  }
}
