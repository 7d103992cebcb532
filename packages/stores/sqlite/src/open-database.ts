import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { SignalboxError } from '@signalbox/kernel';
import { type Connection, createConnection } from './connection.ts';
import { isAtLeast, OLDEST_SQLITE, type SqliteDatabase, type SqliteDriver } from './driver.ts';
import { query } from './sql/query.ts';
import { APPLICATION_ID, MIGRATIONS } from './sql/schema.ts';
import { transaction } from './sql/transaction.ts';
import { isBusy, toStoreError } from './sqlite-error.ts';

export type Durability = 'strict' | 'relaxed';

/** How long SQLite itself waits for a lock, ms: it blocks the event loop, so longer waits are ours and asynchronous. */
const BLOCKING_WAIT = 5;
/**
 * Size of the write-ahead log, in pages, at which it is written back. What a lone writer adds are for the most part the same
 * pages again; of many writers at once each page is another, and writing back a thousand would hold up all of them.
 */
const CHECKPOINT_AT: Readonly<Record<Durability, { readonly few: number; readonly many: number }>> = {
  strict: { few: 1000, many: 400 },
  relaxed: { few: 4000, many: 4000 },
};

/** `many`: the commits that follow come from many writers at once. */
export function checkpointAt(durability: Durability, writers: 'few' | 'many'): string {
  return `PRAGMA wal_autocheckpoint = ${CHECKPOINT_AT[durability][writers]}`;
}

/** One after the other: Node's own `recursive` never ends where a folder can hold no other and says that it is not there, as in `/proc`. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may make it at the same time.
    if (!existsSync(path)) throw error;
  }
}

/** Opens, and makes or migrates, the database. Blocks; waits at most `busyTimeout` ms for other processes. */
export function openDatabase(
  path: string,
  driver: SqliteDriver,
  durability: Durability,
  busyTimeout: number,
): Connection {
  const deadline = Date.now() + busyTimeout;
  try {
    makeFolder(dirname(path));
    const db = driver.open(path);
    try {
      const connection = createConnection(db);
      untilFree(deadline, () => refuseOldSqlite(connection, driver));
      db.exec(`PRAGMA busy_timeout = ${busyTimeout}`);
      untilFree(deadline, () => refuseForeignFile(connection, path));
      untilFree(deadline, () => configure(db, durability));
      untilFree(deadline, () => migrate(connection, path));
      db.exec(`PRAGMA busy_timeout = ${BLOCKING_WAIT}`);
      return connection;
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw toStoreError(error, path);
  }
}

/** Some locks are reported at once, without the wait that SQLite was asked for. */
function untilFree(deadline: number, attempt: () => void): void {
  for (;;) {
    try {
      attempt();
      return;
    } catch (error) {
      if (!isBusy(error) || Date.now() >= deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKING_WAIT);
    }
  }
}

function refuseOldSqlite(connection: Connection, driver: SqliteDriver): void {
  const version = sqliteVersion(connection);
  if (isAtLeast(version, OLDEST_SQLITE)) return;
  throw new SignalboxError(
    'SqliteTooOld',
    `${driver.name} brings SQLite ${version}; ${OLDEST_SQLITE} is the oldest that is safe.`,
    {
      hint: 'Before it, two connections that reset the write-ahead log at the same moment could corrupt the database. Update the driver.',
      details: { driver: driver.name, version, oldest: OLDEST_SQLITE },
    },
  );
}

function refuseForeignFile(connection: Connection, path: string): void {
  const id = connection.one<{ application_id: number }>(query('PRAGMA application_id'))?.application_id;
  if (id === APPLICATION_ID) return;
  const { count } = connection.one<{ count: number }>(query('SELECT count(*) AS count FROM sqlite_schema')) ?? {
    count: 0,
  };
  if (id === 0 && count === 0) return;
  throw new SignalboxError('StoreUnreadable', `${path} is a database of another program.`, {
    hint: 'Name another file for the store. Nothing was written to it.',
    details: { path, reason: `application id ${id}` },
  });
}

/** Both drivers fall back to `synchronous = NORMAL` once in WAL, so it is said aloud. */
function configure(db: SqliteDatabase, durability: Durability): void {
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = ${durability === 'strict' ? 'FULL' : 'NORMAL'};
    PRAGMA fullfsync = ON;
    ${checkpointAt(durability, 'few')};
    PRAGMA cache_size = -16384;
    PRAGMA temp_store = MEMORY;
    PRAGMA secure_delete = ON;
  `);
}

function migrate(connection: Connection, path: string): void {
  if (schemaVersion(connection) === MIGRATIONS.length) return;
  connection.run(transaction.beginWrite());
  try {
    const found = schemaVersion(connection);
    if (found > MIGRATIONS.length) throw tooNew(path, found);
    for (const script of MIGRATIONS.slice(found)) connection.exec(script);
    connection.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}`);
    connection.run(transaction.commit());
  } catch (error) {
    connection.run(transaction.rollback());
    throw error;
  }
}

function tooNew(path: string, found: number): SignalboxError {
  return new SignalboxError(
    'StoreTooNew',
    `${path} has schema ${found}; this version knows up to ${MIGRATIONS.length}.`,
    {
      hint: 'A newer Signalbox wrote it. Update this one; there is no way back to an older schema.',
      details: { path, found, known: MIGRATIONS.length },
    },
  );
}

export function schemaVersion(connection: Connection): number {
  return connection.one<{ user_version: number }>(query('PRAGMA user_version'))?.user_version ?? 0;
}

export function sqliteVersion(connection: Connection): string {
  return connection.one<{ version: string }>(query('SELECT sqlite_version() AS version'))?.version ?? '0';
}
