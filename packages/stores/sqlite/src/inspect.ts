import { statSync } from 'node:fs';
import type { StoreInspection } from '@signalbox/ports';
import type { Connection } from './connection.ts';
import { type Durability, schemaVersion, sqliteVersion } from './open-database.ts';
import { selectNewestCommit } from './sql/commits.ts';
import { query } from './sql/query.ts';
import { isBusy } from './sqlite-error.ts';

/** Reads the whole file once (`quick_check`). */
export function inspect(db: Connection, path: string, driver: string, durability: Durability): StoreInspection {
  const journalMode = String(pragma(db, 'journal_mode'));
  const problems = findings(db);
  if (journalMode !== 'wal')
    problems.push(`The journal mode is ${journalMode}, not wal: several processes cannot share it.`);
  const pageSize = Number(pragma(db, 'page_size'));
  return {
    ok: problems.length === 0,
    facts: {
      path,
      driver,
      sqlite: sqliteVersion(db),
      schema: schemaVersion(db),
      durability,
      journalMode,
      synchronous: Number(pragma(db, 'synchronous')),
      pageSize,
      bytes: pageSize * Number(pragma(db, 'page_count')),
      freeBytes: pageSize * Number(pragma(db, 'freelist_count')),
      logBytes: sizeOf(`${path}-wal`),
      ...(problems.length === 0 ? { commits: db.one(selectNewestCommit())?.id ?? 0 } : {}),
    },
    problems,
  };
}

/** Damage in the wrong place makes the check itself fail. */
function findings(db: Connection): string[] {
  try {
    return db
      .all<{ quick_check: string }>(query('PRAGMA quick_check'))
      .map(({ quick_check }) => quick_check)
      .filter(finding => finding !== 'ok');
  } catch (error) {
    if (isBusy(error)) throw error;
    return [error instanceof Error ? error.message : String(error)];
  }
}

function pragma(db: Connection, name: string): unknown {
  return Object.values(db.one<Record<string, unknown>>(query(`PRAGMA ${name}`)) ?? {})[0];
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
