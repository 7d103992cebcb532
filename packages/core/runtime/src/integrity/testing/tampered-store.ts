import type { EventStore, StoredCommit } from '@signalbox/ports';

/** A store whose reads show what somebody did to its file behind its back. */
export function tamperedStore(store: EventStore, tamper: (commits: StoredCommit[]) => StoredCommit[]): EventStore {
  return {
    ...store,
    async read(stream, { fromSeq = 1, toSeq = Number.MAX_SAFE_INTEGER, limit = 1_000 } = {}) {
      const all = tamper(await store.read(stream, { limit: 1_000_000 }));
      return all.filter(({ firstSeq, lastSeq }) => lastSeq >= fromSeq && firstSeq <= toSeq).slice(0, limit);
    },
    async head(stream) {
      const last = tamper(await store.read(stream, { limit: 1_000_000 })).at(-1);
      return last && { seq: last.lastSeq, hash: last.sealed?.hash };
    },
  };
}
