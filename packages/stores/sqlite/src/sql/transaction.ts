import { type Query, query } from './query.ts';

const BEGIN_WRITE: Query = query('BEGIN IMMEDIATE');
const BEGIN_READ: Query = query('BEGIN');
const COMMIT: Query = query('COMMIT');
const ROLLBACK: Query = query('ROLLBACK');
const SAVEPOINT: Query = query('SAVEPOINT one');
const RELEASE: Query = query('RELEASE one');
const ROLLBACK_TO: Query = query('ROLLBACK TO one');
const DATA_VERSION: Query<{ data_version: number }> = query('PRAGMA data_version');
const TRUNCATE_LOG: Query<{ busy: number }> = query('PRAGMA wal_checkpoint(TRUNCATE)');

export const transaction = {
  /** Takes the write lock at once: a reader that turns writer later would fail without waiting. */
  beginWrite: () => BEGIN_WRITE,
  beginRead: () => BEGIN_READ,
  commit: () => COMMIT,
  rollback: () => ROLLBACK,
  savepoint: () => SAVEPOINT,
  release: () => RELEASE,
  rollbackTo: () => ROLLBACK_TO,
  /** Changes when another connection has committed, never by our own commits. */
  dataVersion: () => DATA_VERSION,
  truncateLog: () => TRUNCATE_LOG,
};
