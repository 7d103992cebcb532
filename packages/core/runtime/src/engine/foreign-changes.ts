import type { EventStore } from '@signalbox/ports';

const PAGE = 500;
/** Beyond this many pages it is cheaper to look at everything. */
const PAGES = 10;

/**
 * Which streams were written since it was asked last, by whomever.
 *  1. The place in the feed is moved on by whoever looks at everything anyway, so that what this process itself has
 *     written meanwhile is not read again.
 */
export class ForeignChanges {
  readonly #store: EventStore;
  #cursor: string | undefined;

  constructor(store: EventStore) {
    this.#store = store;
  }

  /** All that is there now is known, or about to be looked at. */
  async skip(): Promise<void> {
    this.#cursor = await this.#store.feedEnd();
  }

  /** Each stream with the last sequence number; undefined where so much was written that everything is to be looked at. */
  async take(): Promise<ReadonlyMap<string, number> | undefined> {
    const changed = new Map<string, number>();
    for (let page = 0; page < PAGES && this.#cursor !== undefined; page += 1) {
      const { commits, cursor } = await this.#store.feed({ after: this.#cursor, limit: PAGE });
      this.#cursor = cursor;
      for (const { stream, lastSeq } of commits) changed.set(stream, lastSeq);
      if (commits.length < PAGE) return changed;
    }
    return undefined;
  }
}
