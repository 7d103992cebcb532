import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { z } from 'zod';

export interface Act {
  /** Idempotency key: the same key is the same act, however often it is told. */
  readonly key: string;
  readonly kind: string;
  readonly detail: unknown;
}

/** What was done on the desktop. */
export interface Ledger {
  /** @returns its number, from 1 within its kind */
  add(act: Act): number;
  /** Whether an act with that key was done. */
  has(key: string): boolean;
  /** Details of all acts of a kind, oldest first. */
  list(kind: string): readonly unknown[];
  close(): void;
}

/** How long another process may hold the file. */
const BUSY_MS = 5_000;
const SCHEMA = `CREATE TABLE IF NOT EXISTS act (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  detail TEXT NOT NULL
)`;

const numberSchema = z.object({ number: z.number() });
const detailSchema = z.object({ detail: z.string() });

/** The output of tools that add an act. */
export const doneSchema = z.object({ number: z.number() });

/**
 * An SQLite file of its own, which stands for the desktop: it knows nothing of runs, and is not in one transaction with
 * them. It is opened when it is first needed.
 */
export function openLedger(path: string): Ledger {
  let database: InstanceType<typeof DatabaseSync> | undefined;
  const opened = () => {
    if (database !== undefined) return database;
    if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
    database = new DatabaseSync(path, { timeout: BUSY_MS });
    database.exec(SCHEMA);
    return database;
  };
  return {
    add({ key, kind, detail }) {
      const insert = 'INSERT INTO act (key, kind, detail) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING';
      opened().prepare(insert).run(key, kind, JSON.stringify(detail));
      const count = `SELECT COUNT(*) AS number FROM act WHERE kind = (SELECT kind FROM act WHERE key = ?1)
        AND id <= (SELECT id FROM act WHERE key = ?1)`;
      return numberSchema.parse(opened().prepare(count).get(key)).number;
    },
    has: key => opened().prepare('SELECT 1 FROM act WHERE key = ?').get(key) !== undefined,
    list: kind =>
      opened()
        .prepare('SELECT detail FROM act WHERE kind = ? ORDER BY id')
        .all(kind)
        .map(row => JSON.parse(detailSchema.parse(row).detail)),
    close() {
      database?.close();
      database = undefined;
    },
  };
}
