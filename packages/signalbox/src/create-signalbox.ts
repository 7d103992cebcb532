import { type BoxOptions, keyFileOf, localKeys, Signalbox } from '@signalbox/core';
import { createEmbeddedHost, createIdGenerator, createSystemClock } from '@signalbox/host-embedded';
import { createSqliteStore, type SqliteStoreOptions } from '@signalbox/store-sqlite';

/** Where the database is when nothing else is said. */
export const DEFAULT_PATH = '.signalbox/signalbox.db';

export interface SignalboxOptions extends Partial<Omit<BoxOptions, 'host'>> {
  /** Path of the SQLite file; default `.signalbox/signalbox.db`. Not with `store`. */
  readonly path?: string;
  readonly durability?: SqliteStoreOptions['durability'];
  /** Runs driven at once; default 1,000. */
  readonly concurrency?: number;
}

/** A signal box in this process, on SQLite, with nothing to set up. */
export function createSignalbox(options: SignalboxOptions = {}): Signalbox {
  const {
    path = DEFAULT_PATH,
    durability,
    concurrency,
    clock = createSystemClock(),
    ids = createIdGenerator(),
    ...rest
  } = options;
  const store = rest.store ?? createSqliteStore({ path, ...(durability === undefined ? {} : { durability }) });
  const host = createEmbeddedHost({ clock, ...(concurrency === undefined ? {} : { concurrency }) });
  const keys = rest.keys ?? (rest.store === undefined ? localKeys(keyFileOf(path)) : undefined);
  return new Signalbox({ ...rest, store, host, clock, ids, ...(keys === undefined ? {} : { keys }) });
}
