import { handlersOf, type Program, type RunStatus } from '@signalbox/kernel';
import type { Clock, DueRun, EventStore, RunRow } from '@signalbox/ports';
import type { RunDriver } from '../drive/run-driver.ts';
import type { Sessions } from '../session/sessions.ts';
import { BackOff } from './back-off.ts';
import type { Background } from './background.ts';
import type { Drivers } from './drivers.ts';
import type { GraphRegistry } from './graph-registry.ts';
import type { RunChanges } from './run-changes.ts';

/** Due runs that are read at once. */
const PAGE = 500;
const AT_WORK: ReadonlySet<string> = new Set<RunStatus>(['running', 'cancelling', 'compensating']);

export function isAtWork(status: string): boolean {
  return AT_WORK.has(status);
}

/** It goes on by itself when its turn in its session comes. */
export function waitsForTurn({ reason, session }: Pick<RunRow, 'reason' | 'session'>): boolean {
  return reason === 'session' && session !== null;
}

/** What taking up due runs needs of the engine. */
export interface DueRunsDeps {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly owner: string;
  readonly graphs: GraphRegistry;
  readonly sessions: Sessions;
  readonly drivers: Drivers;
  readonly changes: RunChanges;
  readonly background: Background;
}

/**
 * The runs that are due, and which of them this process takes up.
 *  1. A run that another process owns is taken up only when that process gives no sign of life any more.
 *  2. A run that waits for its turn in its session is taken up only when it has come.
 *  3. A run that cannot be driven here (no handlers, a log that cannot be read) is left alone for a while.
 */
export class DueRuns {
  readonly #deps: DueRunsDeps;
  readonly #backOff = new BackOff();

  constructor(deps: DueRunsDeps) {
    this.#deps = deps;
  }

  /** All of them, in pages, until this process stops. */
  async *all(now: number): AsyncGenerator<DueRun> {
    const { store, owner, background } = this.#deps;
    for (let after: DueRun | undefined; !background.stopped; ) {
      const query = { now, owner, limit: PAGE };
      const page = await store.due(after === undefined ? query : { ...query, after });
      yield* page;
      after = page.at(-1);
      if (page.length < PAGE) return;
    }
  }

  /** Due, and nobody else holds it who gives a sign of life. */
  async isLeft(runId: string): Promise<boolean> {
    const { store, clock, owner } = this.#deps;
    return (await store.due({ now: clock.now(), owner, limit: 1, runId })).length > 0;
  }

  /** It could not be driven here a while ago. */
  isLeftAlone(runId: string, now: number): boolean {
    return this.#backOff.isOff(runId, now);
  }

  /** These are all the runs that are due now. */
  keepOnly(due: ReadonlySet<string>): void {
    this.#backOff.keepOnly(due);
  }

  /** New code may be able to drive what could not be driven. */
  tryAllAgain(): void {
    this.#backOff.clear();
  }

  /** Drives the run as far as it goes, if this process may take it. */
  async drive(runId: string): Promise<void> {
    const { clock, drivers, changes, background } = this.#deps;
    if (background.stopped || !(await this.#mayTake(runId))) return;
    try {
      const stranded = await drivers.use(runId, async driver => {
        if (await this.#isTaken(driver)) return false;
        await driver.drive();
        return isAtWork(driver.current().status) && this.#missing(driver.program).length > 0;
      });
      if (stranded) this.#backOff.failed(runId, clock.now());
      else this.#backOff.forget(runId);
    } catch (error) {
      this.#backOff.failed(runId, clock.now());
      throw error;
    }
    changes.rested(runId);
  }

  /**
   * Handler keys that a run at work needs and this process does not have, when nobody else alive drives it. Such a run
   * goes on as soon as a process comes that has them.
   */
  async missingHandlers(runId: string): Promise<readonly string[]> {
    const row = await this.#deps.store.run(runId);
    return row === undefined || !isAtWork(row.status) ? [] : await this.missingFor(row);
  }

  /** The same of a run at work whose row is known. */
  async missingFor(row: RunRow): Promise<readonly string[]> {
    const { graphs, owner } = this.#deps;
    const missing = this.#missing(await graphs.program(row.version));
    if (missing.length === 0) return [];
    const isOurs = row.owner === null || row.owner === owner;
    return isOurs || (await this.isLeft(row.runId)) ? missing.sort() : [];
  }

  async #mayTake(runId: string): Promise<boolean> {
    const { store, clock, owner, drivers, sessions } = this.#deps;
    if (drivers.of(runId) !== undefined) return true;
    const row = await store.run(runId);
    // What was to be done may have been done by the time that its turn comes.
    if (row === undefined || row.dueAt === null || row.dueAt > clock.now()) return false;
    if (waitsForTurn(row) && !(await sessions.isTurn(row.session!, runId))) return false;
    return row.owner === null || row.owner === owner || (await this.isLeft(runId));
  }

  /** Another process took it up since its row was looked at. */
  async #isTaken(driver: RunDriver): Promise<boolean> {
    const { owner } = driver.current();
    if (owner === undefined || owner === this.#deps.owner) return false;
    return !(await this.isLeft(driver.runId));
  }

  #missing(program: Program): string[] {
    return [...handlersOf(program)].filter(key => this.#deps.graphs.handler(key) === undefined);
  }
}
