import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTicketStore, type TicketStore } from './ticket-store.ts';

let folder: string;
let tickets: TicketStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'desk-'));
  tickets = openTicketStore(join(folder, 'deep', 'tickets.db'));
});
afterEach(() => {
  tickets.close();
  rmSync(folder, { recursive: true });
});

describe('the ticket store', () => {
  it('numbers tickets in order and keeps them over a restart', () => {
    const first = tickets.create({ key: 'a', kind: 'refund', detail: '退款' });
    const second = tickets.create({ key: 'b', kind: 'create_order', detail: 'two cups' });
    tickets.close();
    expect([first.id, second.id]).toEqual(['T-1001', 'T-1002']);
    expect(openTicketStore(join(folder, 'deep', 'tickets.db')).list()).toEqual([first, second]);
  });

  it('gives the first ticket again for a key that it has seen', () => {
    const first = tickets.create({ key: 'a', kind: 'refund', detail: 'the lamp' });
    expect(tickets.create({ key: 'a', kind: 'refund', detail: 'another text' })).toEqual(first);
    expect(tickets.list()).toEqual([first]);
  });
});
