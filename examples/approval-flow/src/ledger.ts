import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';

const booking = z.object({
  /** Idempotency key: the same key is booked once, however often it is asked for. */
  key: z.string(),
  kind: z.enum(['payment', 'reversal']),
  supplier: z.string(),
  /** Decimal, such as `89.90`. */
  amount: z.string(),
  currency: z.string(),
  memo: z.string(),
});
export type Booking = z.infer<typeof booking>;

export interface Entry extends Booking {
  /** `L-1`, `L-2`, … in the order of the file. */
  readonly id: string;
}

export interface Ledger {
  book(booking: Booking): Entry;
  /** All entries, oldest first. */
  entries(): Entry[];
}

/**
 * A file of JSON lines that is only ever added to. It stands for the books of a company: it knows nothing of runs, and is not in one
 * transaction with them.
 *
 * 1. The first line of a key is its entry; a later one counts for nothing. So two processes that write the same key at once
 *    book it once, without a lock: a line is one write at the end of the file.
 * 2. What was returned is on disk.
 * 3. A line that a crash cut off was never returned, and is no entry; the next line begins on its own.
 */
export function openLedger(path: string): Ledger {
  const entries = () => (existsSync(path) ? readEntries(readFileSync(path, 'utf8')) : []);
  const find = (key: string) => entries().find(entry => entry.key === key);
  return {
    entries,
    book(wanted) {
      const before = find(wanted.key);
      if (before !== undefined) return before;
      append(path, JSON.stringify(wanted));
      return find(wanted.key)!;
    },
  };
}

function readEntries(text: string): Entry[] {
  const byKey = new Map<string, Booking>();
  for (const line of text.split('\n')) {
    const read = booking.safeParse(parsed(line));
    if (read.success && !byKey.has(read.data.key)) byKey.set(read.data.key, read.data);
  }
  return [...byKey.values()].map((entry, index) => ({ id: `L-${index + 1}`, ...entry }));
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function append(path: string, line: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, 'a+');
  try {
    writeSync(file, `${endsWithin(file) ? '\n' : ''}${line}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Whether the file ends within a line. */
function endsWithin(file: number): boolean {
  const { size } = fstatSync(file);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last.toString() !== '\n';
}
