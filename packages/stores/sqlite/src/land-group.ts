import { isSignalboxError } from '@signalbox/kernel';
import type { Connection } from './connection.ts';
import { transaction } from './sql/transaction.ts';
import { isBusy } from './sqlite-error.ts';

export interface LandOptions {
  /** Called with the lock held, before the first job. */
  readonly onLocked: () => void;
  /** Called when something was undone, with what made it so. */
  readonly onUndone: (error: unknown) => void;
  readonly toError: (error: unknown) => Error;
}

export type Outcome = { readonly value: unknown } | { readonly error: Error };

interface Work {
  run(): unknown;
}

/** Throws when nothing of the group landed, for whatever reason. */
export function landGroup(db: Connection, options: LandOptions, group: readonly Work[]): Outcome[] {
  try {
    return inTransaction(db, options, () => group.map(job => ({ value: job.run() })));
  } catch (error) {
    if (group.length === 1 || isBusy(error)) throw error;
    return inTransaction(db, options, () => group.map(job => landOne(db, options, job)));
  }
}

function inTransaction<T>(db: Connection, options: LandOptions, land: () => T): T {
  db.run(transaction.beginWrite());
  try {
    options.onLocked();
    const landed = land();
    db.run(transaction.commit());
    return landed;
  } catch (error) {
    options.onUndone(error);
    rollBack(db);
    throw error;
  }
}

function landOne(db: Connection, options: LandOptions, job: Work): Outcome {
  db.run(transaction.savepoint());
  try {
    const value = job.run();
    db.run(transaction.release());
    return { value };
  } catch (error) {
    options.onUndone(error);
    undoOne(db, error);
    return { error: isSignalboxError(error) ? error : options.toError(error) };
  }
}

/** Fails when SQLite has undone the whole transaction by itself (disk full, I/O error): then nobody's job has landed. */
function undoOne(db: Connection, reason: unknown): void {
  try {
    db.run(transaction.rollbackTo());
    db.run(transaction.release());
  } catch {
    throw reason;
  }
}

function rollBack(db: Connection): void {
  try {
    db.run(transaction.rollback());
  } catch {
    // SQLite had ended the transaction by itself; the error that made it do so is on its way to the callers.
  }
}
