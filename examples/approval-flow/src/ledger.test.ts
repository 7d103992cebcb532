import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Booking, openLedger } from './ledger.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ledger-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const path = () => join(folder, 'deep', 'ledger.jsonl');

function booking(key: string, amount = '5.00'): Booking {
  return { key, kind: 'payment', supplier: '瑞和家具', amount, currency: 'CNY', memo: 'a chair' };
}

describe('the ledger', () => {
  it('numbers entries in order and keeps them', () => {
    const ledger = openLedger(path());
    expect(ledger.entries()).toEqual([]);
    const entries = [ledger.book(booking('a')), ledger.book(booking('b'))];
    expect(entries.map(({ id }) => id)).toEqual(['L-1', 'L-2']);
    expect(openLedger(path()).entries()).toEqual(entries);
  });

  it('books a key once and gives that entry again', () => {
    const first = openLedger(path()).book(booking('a'));
    expect(openLedger(path()).book(booking('a', '9.00'))).toEqual(first);
    expect(readFileSync(path(), 'utf8').split('\n')).toHaveLength(2);
  });

  it('counts a key once that two processes have written at the same time: the first line', () => {
    const ledger = openLedger(path());
    ledger.book(booking('a'));
    appendFileSync(path(), `${JSON.stringify(booking('a', '9.00'))}\n`);
    expect(ledger.book(booking('b')).id).toBe('L-2');
    expect(ledger.entries().map(({ amount }) => amount)).toEqual(['5.00', '5.00']);
  });

  it('takes a line that was cut off for none, and writes the next on a line of its own', () => {
    const ledger = openLedger(path());
    ledger.book(booking('a'));
    appendFileSync(path(), JSON.stringify(booking('torn')).slice(0, 40));
    expect(ledger.entries()).toHaveLength(1);
    expect(ledger.book(booking('torn')).id).toBe('L-2');
    expect(ledger.entries().map(({ key }) => key)).toEqual(['a', 'torn']);
  });
});
