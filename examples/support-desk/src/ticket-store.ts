import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';

export interface NewTicket {
  /** Idempotency key: the same key gives the same ticket, however often it is asked for. */
  readonly key: string;
  readonly kind: string;
  readonly detail: string;
}

export interface Ticket {
  /** `T-1001`, `T-1002`, … */
  readonly id: string;
  readonly kind: string;
  readonly detail: string;
}

export interface TicketStore {
  create(ticket: NewTicket): Ticket;
  /** All tickets, oldest first. */
  list(): Ticket[];
  close(): void;
}

/** How long another process may hold the file. */
const BUSY_MS = 5_000;
const FIRST_NUMBER = 1001;

const SCHEMA = `CREATE TABLE IF NOT EXISTS ticket (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  detail TEXT NOT NULL
)`;

/**
 * Tickets in an SQLite file of their own, which stands for the ticket system of a shop: it knows nothing of runs, and
 * is not in one transaction with them. The file is opened when it is first needed; what goes wrong is thrown then.
 */
export function openTicketStore(path: string): TicketStore {
  let database: InstanceType<typeof DatabaseSync> | undefined;
  const opened = () => {
    if (database !== undefined) return database;
    mkdirSync(dirname(path), { recursive: true });
    const fresh = new DatabaseSync(path, { timeout: BUSY_MS });
    fresh.exec(SCHEMA);
    database = fresh;
    return fresh;
  };
  return {
    create({ key, kind, detail }) {
      const insert = 'INSERT INTO ticket (key, kind, detail) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING';
      opened().prepare(insert).run(key, kind, detail);
      return toTicket(opened().prepare('SELECT * FROM ticket WHERE key = ?').get(key));
    },
    list: () => opened().prepare('SELECT * FROM ticket ORDER BY number').all().map(toTicket),
    close() {
      database?.close();
      database = undefined;
    },
  };
}

function toTicket(row: unknown): Ticket {
  const { number, kind, detail } = row as { number: number; kind: string; detail: string };
  return { id: `T-${FIRST_NUMBER - 1 + number}`, kind, detail };
}
