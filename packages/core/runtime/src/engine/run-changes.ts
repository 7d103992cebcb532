import { Changes } from './changes.ts';

/** Who has not heard of a change looks again after this long, ms. */
const POLL_MS = 250;

/** Who waits for something to happen to a run, and who only for a driver to have left it. */
export class RunChanges {
  readonly #all = new Changes();
  /** Runs that a driver has just left: what `settled` waits for, lest it look at every step of a long run. */
  readonly #rests = new Changes();

  /** Resolves at the next change of the run, or soon when another process may have made one. */
  next(runId: string): Promise<void> {
    return this.#all.next(runId, POLL_MS);
  }

  /** Resolves when a driver leaves the run, or soon when one of another process may have. */
  nextRest(runId: string): Promise<void> {
    return this.#rests.next(runId, POLL_MS);
  }

  changed(runId: string): void {
    this.#all.changed(runId);
  }

  rested(runId: string): void {
    this.#all.changed(runId);
    this.#rests.changed(runId);
  }

  changedAll(): void {
    this.#all.changedAll();
    this.#rests.changedAll();
  }
}
