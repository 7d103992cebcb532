/**
 * A process that appends to a store, for the tests: `node writer-process.ts PATH NAME RUNS [shared]`.
 * Prints each commit once it was acknowledged, as `stream seq`. With `shared` every commit also adds to one stream that
 * all processes fight for.
 */
import { type EventStore, isStoreConflict } from '@signalbox/ports';
import { createSqliteStore } from '../sqlite-store.ts';
import { append } from './append.ts';

const EVENTS_PER_RUN = 3;

async function addToShared(store: EventStore, note: string): Promise<void> {
  for (;;) {
    const seq = (await store.head('shared'))?.seq ?? 0;
    try {
      await store.commit({ appends: [append('shared', seq, note)] }, { sync: false });
      return;
    } catch (error) {
      if (!isStoreConflict(error)) throw error;
    }
  }
}

async function write(path: string, name: string, runs: number, shared: boolean): Promise<void> {
  const store = createSqliteStore({ path });
  for (let run = 0; run < runs; run += 1) {
    const stream = `${name}_${run}`;
    for (let seq = 0; seq < EVENTS_PER_RUN; seq += 1) {
      await store.commit(
        { appends: [append(stream, seq)], counters: [{ tenant: 'default', key: 'commits', add: 1 }] },
        { sync: false },
      );
      process.stdout.write(`${stream} ${seq + 1}\n`);
    }
    if (shared) await addToShared(store, stream);
  }
  await store.close();
}

const [, , path = '', name = '', runs = '0', mode = ''] = process.argv;
await write(path, name, Number(runs), mode === 'shared');
