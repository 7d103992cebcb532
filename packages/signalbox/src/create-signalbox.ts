import { BOX_OPTIONS, type BoxOptions, keyFileOf, localKeys, Signalbox } from '@signalbox/core';
import { createEmbeddedHost, createIdGenerator, createSystemClock } from '@signalbox/host-embedded';
import { checkOptions, type OptionKinds, oneOf, TEXT, wholeNumber } from '@signalbox/kernel';
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

const { host: _host, ...OF_BOX } = BOX_OPTIONS;

const OPTIONS: OptionKinds<SignalboxOptions> = {
  ...OF_BOX,
  path: { ...TEXT, hint: "Such as `path: 'data/signalbox.db'`: the file itself, without `sqlite:`." },
  durability: oneOf('strict', 'relaxed'),
  concurrency: wholeNumber(1),
};

/**
 * A signal box in this process, on SQLite, with nothing to set up.
 *
 * @throws SignalboxError `InvalidOptions` before anything is opened, and what `createSqliteStore` throws
 */
export function createSignalbox(options: SignalboxOptions = {}): Signalbox {
  checkOptions('createSignalbox', options, OPTIONS);
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
