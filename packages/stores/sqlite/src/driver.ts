import { createRequire } from 'node:module';
import { SignalboxError } from '@signalbox/kernel';

/** What SQLite takes and gives. */
export type SqliteValue = null | number | bigint | string | Uint8Array;

/** The part of `node:sqlite`'s `StatementSync` that the store uses; better-sqlite3 has it too. */
export interface SqliteStatement {
  get(...values: readonly SqliteValue[]): unknown;
  all(...values: readonly SqliteValue[]): unknown[];
  run(...values: readonly SqliteValue[]): {
    readonly changes: number | bigint;
    readonly lastInsertRowid: number | bigint;
  };
}

export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  close(): unknown;
}

/** For another library: `{ name: 'better-sqlite3', open: path => new Database(path) }`. */
export interface SqliteDriver {
  readonly name: string;
  /** Opens a file, and makes it when it is missing. */
  open(path: string): SqliteDatabase;
}

/** Below this, two connections that reset the write-ahead log at once can corrupt the database. */
export const OLDEST_SQLITE = '3.51.3';

interface SqliteModule {
  readonly DatabaseSync: new (path: string) => SqliteDatabase;
}

/** The built-in module where its SQLite is new enough (no native dependency), else the prebuilt one. */
export function defaultDriver(): SqliteDriver {
  const builtIn = isAtLeast(process.versions.sqlite ?? '0', OLDEST_SQLITE)
    ? (process.getBuiltinModule('node:sqlite') as SqliteModule | undefined)
    : undefined;
  if (builtIn !== undefined) return toDriver('node:sqlite', builtIn);
  return toDriver('@photostructure/sqlite', loadPrebuilt());
}

function toDriver(name: string, { DatabaseSync }: SqliteModule): SqliteDriver {
  return { name, open: path => new DatabaseSync(path) };
}

function loadPrebuilt(): SqliteModule {
  try {
    return createRequire(import.meta.url)('@photostructure/sqlite') as SqliteModule;
  } catch (cause) {
    throw new SignalboxError('NoSqliteDriver', `No SQLite can be loaded on ${process.platform}-${process.arch}.`, {
      hint: `Use a Node with node:sqlite ${OLDEST_SQLITE} or later, or pass a driver: better-sqlite3 works.`,
      cause,
    });
  }
}

/** Compares dotted versions number by number. */
export function isAtLeast(version: string, oldest: string): boolean {
  const have = version.split('.').map(Number);
  const want = oldest.split('.').map(Number);
  for (const [index, part] of want.entries()) {
    const other = have[index] ?? 0;
    if (other !== part) return other > part;
  }
  return true;
}
