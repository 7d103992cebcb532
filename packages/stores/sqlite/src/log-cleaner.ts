import type { Connection } from './connection.ts';
import { EMPTY_LOG } from './land-batch.ts';
import { deleteChore, selectChore } from './sql/content.ts';
import { transaction } from './sql/transaction.ts';

const TRY_AGAIN = 250;

/**
 * Empties the write-ahead log after an erasure, since its older frames hold the bytes.
 *
 *  1. The wish stands in the database, set by the transaction that erased: a crash in between forgets nothing.
 *  2. Another process that is reading holds the log; then it is tried again, and at the next opening.
 */
export interface LogCleaner {
  /** Called after a commit that erased, and at opening. */
  clean(): void;
  stop(): void;
}

export function createLogCleaner(db: Connection): LogCleaner {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const clean = (): void => {
    clearTimeout(timer);
    if (!tryToClean(db)) timer = setTimeout(clean, TRY_AGAIN).unref();
  };
  return { clean, stop: () => clearTimeout(timer) };
}

function tryToClean(db: Connection): boolean {
  try {
    if (db.one(selectChore(EMPTY_LOG)) === undefined) return true;
    if (db.one(transaction.truncateLog())?.busy !== 0) return false;
    db.run(deleteChore(EMPTY_LOG));
    return true;
  } catch {
    // Never the caller's concern: its commit has landed. Damage shows at the next read or commit.
    return false;
  }
}
