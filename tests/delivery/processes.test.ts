import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyStream } from '@signalbox/runtime';
import { createSqliteStore } from 'signalbox';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startPublisher } from './testing/publisher.ts';
import { startReceiver } from './testing/receiver.ts';

function storePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-delivery-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 's.db');
}

const soon = { timeout: 60_000, interval: 20 };
const ids = (lines: readonly string[]) => lines.filter(line => line.startsWith('req_'));

/** The same message is the same at every arrival. */
function expectOneBodyForEachId(received: readonly { readonly id: string; readonly body: string }[]): void {
  const distinct = new Set(received.map(({ id, body }) => `${id} ${body}`));
  expect(distinct.size).toBe(new Set(received.map(({ id }) => id)).size);
}

describe('a request is published at least once', { timeout: 180_000 }, () => {
  it('when the process dies between storing it and queueing its message', async () => {
    const path = storePath();
    const receiver = await startReceiver();
    const first = startPublisher(path, receiver.url, 'publish');
    await vi.waitFor(() => expect(first.lines).toContain('up'), soon);
    first.close();
    await first.ended;

    const silent = startPublisher(path, receiver.url, 'silent');
    silent.ask();
    await vi.waitFor(() => expect(ids(silent.lines)).toHaveLength(1), soon);
    silent.kill();
    expect(receiver.received).toEqual([]);

    const next = startPublisher(path, receiver.url, 'publish');
    await vi.waitFor(() => expect([...receiver.requests()]).toEqual(ids(silent.lines)), soon);
    next.close();
    await next.ended;
    expect(next.errors()).toBe('');
  });

  it('when the process dies between queueing its message and sending it', async () => {
    const path = storePath();
    const receiver = await startReceiver();
    const stuck = startPublisher(path, receiver.url, 'stuck');
    stuck.ask();
    await vi.waitFor(() => expect(stuck.lines).toContain('sending'), soon);
    await vi.waitFor(() => expect(ids(stuck.lines)).toHaveLength(1), soon);
    stuck.kill();
    await stuck.ended;
    expect(receiver.received).toEqual([]);

    startPublisher(path, receiver.url, 'publish');
    await vi.waitFor(() => expect([...receiver.requests()]).toEqual(ids(stuck.lines)), soon);
    expect(receiver.received).toHaveLength(1);
  });

  it('when the process dies between sending its message and recording that: twice then, under one id', async () => {
    const path = storePath();
    const receiver = await startReceiver((response, _, count) => {
      if (count === 1) first.kill();
      else response.writeHead(204).end();
    });
    const first = startPublisher(path, receiver.url, 'publish');
    first.ask();
    await first.ended;
    expect(receiver.received).toHaveLength(1);

    const next = startPublisher(path, receiver.url, 'publish');
    await vi.waitFor(() => expect(receiver.received).toHaveLength(2), soon);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
    expectOneBodyForEachId(receiver.received);
    next.close();
    await next.ended;
    const store = createSqliteStore({ path });
    expect(await verifyStream(store, 'delivery_default/hook')).toMatchObject({ ok: true });
    await store.close();
  });

  it('when two processes publish side by side, are killed again and again, and the receiver fails now and then', async () => {
    const path = storePath();
    const receiver = await startReceiver((response, _, count) => {
      response.writeHead(count % 5 === 0 ? 500 : 204).end();
    });
    const asked: string[] = [];
    const errors: string[] = [];
    const settled = startPublisher(path, receiver.url, 'publish');
    await vi.waitFor(() => expect(settled.lines).toContain('up'), soon);
    for (let round = 0; round < 4; round += 1) {
      const victim = startPublisher(path, receiver.url, 'publish');
      await vi.waitFor(() => expect(victim.lines).toContain('up'), soon);
      for (let count = 0; count < 10; count += 1) victim.ask();
      settled.ask();
      // Each round later in its work.
      await vi.waitFor(() => expect(ids(victim.lines).length).toBeGreaterThan(2 * round), { ...soon, interval: 1 });
      victim.kill();
      await victim.ended;
      asked.push(...ids(victim.lines));
      errors.push(victim.errors());
    }
    await vi.waitFor(() => expect(ids(settled.lines)).toHaveLength(4), soon);
    asked.push(...ids(settled.lines));
    await vi.waitFor(() => {
      const told = receiver.requests();
      expect(asked.filter(id => !told.has(id))).toEqual([]);
    }, soon);
    settled.close();
    await settled.ended;
    expectOneBodyForEachId(receiver.received);
    expect([...errors, settled.errors()].join('')).toBe('');
  });
});
