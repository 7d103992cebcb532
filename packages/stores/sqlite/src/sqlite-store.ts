import { resolve } from 'node:path';
import {
  checkOptions,
  milliseconds,
  OBJECT,
  type OptionKinds,
  oneOf,
  SignalboxError,
  STRING,
  wholeNumber,
} from '@signalbox/kernel';
import { type CommitBatch, type CommitOptions, type EventStore, storeErrors } from '@signalbox/ports';
import { defaultDriver, type SqliteDriver } from './driver.ts';
import { createForeignCommits } from './foreign-commits.ts';
import { inspect } from './inspect.ts';
import { erases, landBatch } from './land-batch.ts';
import { createLogCleaner } from './log-cleaner.ts';
import { createNames } from './names.ts';
import { checkpointAt, type Durability, openDatabase } from './open-database.ts';
import { contentReads, historyReads, rowReads } from './reads.ts';
import { smallWrites } from './small-writes.ts';
import { APPLICATION_ID } from './sql/schema.ts';
import { transaction } from './sql/transaction.ts';
import { isBusy, toStoreError } from './sqlite-error.ts';
import { createWriteQueue, type WriteQueueOptions } from './write-queue.ts';

export interface SqliteStoreOptions {
  /** The database file; it and its folder are made when missing. On a local disk: a network file system breaks its locks. */
  readonly path: string;
  /**
   * `strict` (default): every commit survives the loss of power. `relaxed`: it survives the death of the process; what was
   * committed with `sync: true`, and all before it, also survives the loss of power.
   */
  readonly durability?: Durability;
  /** Ms to wait for other processes that hold the write lock, before `StoreBusy`. Default 30,000. */
  readonly busyTimeout?: number;
  /** Commits that may share one transaction. Default 64. */
  readonly groupLimit?: number;
  /** Default: `node:sqlite` where it is new enough, else `@photostructure/sqlite`. */
  readonly driver?: SqliteDriver;
}

const OPTIONS: OptionKinds<SqliteStoreOptions> = {
  path: { ...STRING, hint: "Such as `createSqliteStore({ path: 'data/signalbox.db' })`." },
  durability: oneOf('strict', 'relaxed'),
  busyTimeout: milliseconds(0),
  groupLimit: wholeNumber(1),
  driver: OBJECT,
};

/**
 * Opens a store in an SQLite file. Several processes and store objects may use one file.
 *
 * Throws `InvalidOptions`, `InvalidValue`, `SqliteTooOld`, `StoreTooNew`, `StoreUnreadable`, `StoreBusy`, `StoreFull`, `StoreFailed` or `NoSqliteDriver`.
 */
export function createSqliteStore(options: SqliteStoreOptions): EventStore {
  checkOptions('createSqliteStore', options, OPTIONS, ['path']);
  const { durability = 'strict', busyTimeout = 30_000, groupLimit = 64 } = options;
  const path = toPath(options.path);
  const driver = options.driver ?? defaultDriver();
  const db = openDatabase(path, driver, durability, busyTimeout);
  const names = createNames(db);
  const foreign = createForeignCommits(db, names.forgetPlaces);
  const cleaner = createLogCleaner(db);
  const toError = (error: unknown): SignalboxError => toStoreError(error, path);
  const queue = createWriteQueue(db, {
    groupLimit,
    busyTimeout,
    toError,
    prepare: settings(sql => db.exec(sql), durability),
    syncLog: () => db.exec(`PRAGMA application_id = ${APPLICATION_ID}`),
    onLocked: foreign.look,
    onUndone: names.forget,
  });
  let closing: Promise<void> | undefined;

  async function read<T>(from: () => T): Promise<T> {
    const deadline = performance.now() + busyTimeout;
    for (;;) {
      // What is read may be told, so it is to be as durable as it was asked to be.
      const synced = queue.synced();
      if (synced !== undefined) await synced;
      if (closing !== undefined) throw storeErrors.closed('sqlite');
      try {
        return from();
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw toError(error);
      }
      await new Promise(proceed => setTimeout(proceed, 2));
    }
  }

  async function commit(batch: CommitBatch, { sync, followed, written }: CommitOptions): Promise<void> {
    const sealed = batch.appends.map(append => append.seal());
    const writer = batch.appends[0]?.stream ?? '';
    await queue.write({
      writer,
      sync: sync || durability === 'strict',
      followed,
      written,
      run: () => landBatch(db, names, batch, sealed),
    });
    if (erases(batch) && closing === undefined) cleaner.clean();
  }

  async function close(): Promise<void> {
    await queue.drain();
    foreign.stop();
    try {
      cleaner.clean();
      cleaner.stop();
      db.one(transaction.truncateLog());
    } catch (error) {
      if (!isBusy(error)) throw toError(error);
    } finally {
      db.close();
    }
  }

  cleaner.clean();
  return {
    features: { name: 'sqlite', chained: true, durable: true, group: groupLimit },
    commit,
    ...historyReads(db, names, read),
    ...rowReads(db, names, read),
    ...contentReads(db, names, read),
    ...smallWrites(db, names, queue),
    onForeignCommit: fn => {
      if (closing !== undefined) throw storeErrors.closed('sqlite');
      return foreign.listen(fn);
    },
    inspect: () => read(() => inspect(db, path, driver.name, durability)),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

function toPath(path: string): string {
  if (path !== '' && !path.startsWith(':')) return resolve(path);
  throw new SignalboxError('InvalidValue', `The path of a store names a file, not ${JSON.stringify(path)}.`, {
    hint: 'For a store that is gone with the process use @signalbox/store-memory.',
    details: { path },
  });
}

/** Commits in one transaction from which on many writers are taken to be at work. */
const MANY = 16;

/** Both can change only between transactions; they are set only when they differ. */
function settings(exec: (sql: string) => void, durability: Durability): WriteQueueOptions['prepare'] {
  let synced = durability === 'strict';
  let writers: 'few' | 'many' = 'few';
  return ({ sync, jobs }) => {
    if (sync !== synced) exec(`PRAGMA synchronous = ${sync ? 'FULL' : 'NORMAL'}`);
    synced = sync;
    const now = jobs >= MANY ? 'many' : 'few';
    if (now !== writers) exec(checkpointAt(durability, now));
    writers = now;
  };
}
