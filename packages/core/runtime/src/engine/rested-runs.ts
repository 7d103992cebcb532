import type { EventStore } from '@signalbox/ports';
import type { LoadedRun } from '../log/run-log.ts';

/** Runs kept at most. */
const KEPT = 64;

/**
 * The runs that drivers of this process left last, so that whoever looks at one, or goes on with it, need not fold it.
 *  1. A kept run counts only while it is the head of its stream, by sequence number and hash.
 *  2. It is a convenience of bounded size: nothing is lost when it is not there.
 */
export class RestedRuns {
  readonly #store: EventStore;
  readonly #kept = new Map<string, LoadedRun>();

  constructor(store: EventStore) {
    this.#store = store;
  }

  keep(loaded: LoadedRun): void {
    const { id } = loaded.run;
    this.#kept.delete(id);
    this.#kept.set(id, loaded);
    if (this.#kept.size > KEPT) this.forget(this.#kept.keys().next().value ?? '');
  }

  async find(runId: string): Promise<LoadedRun | undefined> {
    const kept = this.#kept.get(runId);
    if (kept === undefined) return undefined;
    const head = await this.#store.head(runId);
    if (head?.seq === kept.run.seq && head.hash === kept.hash) return kept;
    this.forget(runId);
    return undefined;
  }

  forget(runId: string): void {
    this.#kept.delete(runId);
  }
}
