export type { SqliteDatabase, SqliteDriver, SqliteStatement, SqliteValue } from './driver.ts';
export { createSqliteStore, type SqliteStoreOptions } from './sqlite-store.ts';
