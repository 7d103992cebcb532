import { type CommitBatch, type EventStore, isStoreConflict } from '@signalbox/ports';

/** A store with one defect, to show that the suite sees it. */
export interface BrokenStore {
  readonly name: string;
  /** Puts the defect over a good store that keeps chained text. Called once for each store object. */
  breakStore(good: EventStore): EventStore;
}

export type Defect = (good: EventStore) => Partial<EventStore>;

/** Names a defect. */
export function broken(name: string, defect: Defect): BrokenStore {
  return { name, breakStore: good => ({ ...bound(good), ...defect(good) }) };
}

/** Calls and features as own properties, also of a store that is a class. */
function bound(good: EventStore): EventStore {
  return {
    features: good.features,
    commit: (...call) => good.commit(...call),
    read: (...call) => good.read(...call),
    head: (...call) => good.head(...call),
    feed: (...call) => good.feed(...call),
    feedEnd: (...call) => good.feedEnd(...call),
    streams: (...call) => good.streams(...call),
    commandOutcome: (...call) => good.commandOutcome(...call),
    startKey: (...call) => good.startKey(...call),
    runs: (...call) => good.runs(...call),
    run: (...call) => good.run(...call),
    requests: (...call) => good.requests(...call),
    request: (...call) => good.request(...call),
    due: (...call) => good.due(...call),
    nextDue: (...call) => good.nextDue(...call),
    lease: (...call) => good.lease(...call),
    snapshot: (...call) => good.snapshot(...call),
    saveSnapshot: (...call) => good.saveSnapshot(...call),
    chunks: (...call) => good.chunks(...call),
    snapshotSeqs: (...call) => good.snapshotSeqs(...call),
    dropSnapshots: (...call) => good.dropSnapshots(...call),
    payload: (...call) => good.payload(...call),
    payloadErased: (...call) => good.payloadErased(...call),
    document: (...call) => good.document(...call),
    documents: (...call) => good.documents(...call),
    label: (...call) => good.label(...call),
    labels: (...call) => good.labels(...call),
    counter: (...call) => good.counter(...call),
    onForeignCommit: (...call) => good.onForeignCommit(...call),
    inspect: (...call) => good.inspect(...call),
    close: (...call) => good.close(...call),
  };
}

/** Commits what `change` makes of a batch. */
export function committing(
  change: (batch: CommitBatch, good: EventStore) => CommitBatch | Promise<CommitBatch>,
): Defect {
  return good => ({
    commit(batch, options) {
      const changed = change(batch, good);
      if (!(changed instanceof Promise)) return good.commit(changed, options);
      return changed.then(late => good.commit(late, options));
    },
  });
}

/** Changes the text of every commit on its way in. */
export function sealing(change: (text: string) => string): Defect {
  return committing(batch => ({
    ...batch,
    appends: batch.appends.map(append => ({
      ...append,
      seal: () => ({ ...append.seal(), text: change(append.seal().text) }),
    })),
  }));
}

/** On a lost compare-and-set does `then` instead of rejecting. */
export function onConflict(then: (batch: CommitBatch, good: EventStore, error: unknown) => Promise<void>): Defect {
  return good => ({
    async commit(batch, options) {
      try {
        await good.commit(batch, options);
      } catch (error) {
        if (!isStoreConflict(error)) throw error;
        await then(batch, good, error);
      }
    },
  });
}
