import type { Commit } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { createMemoryStore } from '@signalbox/store-memory';
import { describe, expect, it } from 'vitest';
import { verifyStream } from '../integrity/verify-stream.ts';
import { toAppend } from '../log/commit-codec.ts';
import { ACTIVE, auditStream, Labels } from './labels.ts';

const FINN = { kind: 'user', id: 'finn' } as const;
const NOON = Date.UTC(2026, 0, 1, 12);

async function world(now: () => number = () => NOON) {
  const store = createMemoryStore({ chain: true });
  const documents = ['v1', 'v2', 'v3'].map(hash => ({
    kind: 'graph',
    name: 'desk',
    hash,
    createdAt: 1,
    text: JSON.stringify({ name: 'desk' }),
  }));
  await store.commit({ appends: [], documents }, { sync: false });
  const labels = new Labels(store, now);
  const activate = (hash: string) => labels.set('default', 'desk', ACTIVE, hash, FINN);
  const rollback = () => labels.rollback('default', 'desk', FINN);
  return { store, labels, activate, rollback };
}

const AUDIT = auditStream('default');

describe('a rollback of the active version', () => {
  it('goes one further back each time, and ends where there is no earlier one', async () => {
    const { activate, rollback, labels } = await world();
    for (const version of ['v1', 'v2', 'v3']) await activate(version);
    expect([await rollback(), await rollback()]).toEqual(['v2', 'v1']);
    await expect(rollback()).rejects.toMatchObject({ code: 'NothingToRollBack' });
    expect(await labels.versionOf('default', 'desk', ACTIVE)).toBe('v1');
  });

  it('goes back over what was activated since an earlier rollback alone', async () => {
    const { activate, rollback } = await world();
    for (const version of ['v1', 'v2']) await activate(version);
    expect(await rollback()).toBe('v1');
    await activate('v3');
    await activate('v3');
    expect(await rollback()).toBe('v1');
    await expect(rollback()).rejects.toMatchObject({ code: 'NothingToRollBack' });
  });
});

describe('a label', () => {
  it('is refused for a version of another graph', async () => {
    const { labels, store } = await world();
    const set = labels.set('default', 'billing', ACTIVE, 'v1', FINN);
    await expect(set).rejects.toMatchObject({ code: 'OtherGraph' });
    expect(await labels.versionOf('default', 'billing', ACTIVE)).toBeUndefined();
    expect(await store.head(AUDIT)).toBeUndefined();
  });
});

describe('the audit stream', () => {
  it('takes changes of many at once, none of which is lost', async () => {
    const { activate, store } = await world();
    await Promise.all(['v1', 'v2', 'v3', 'v1', 'v2'].map(activate));
    expect(await store.head(AUDIT)).toMatchObject({ seq: 5 });
    expect(await verifyStream(store, AUDIT)).toMatchObject({ ok: true });
  });

  it('never goes back in time, whatever the clock does', async () => {
    const times = [NOON, NOON - 60_000];
    const { activate, store } = await world(() => times.shift() ?? 0);
    for (const version of ['v1', 'v2', 'v3']) await activate(version);
    expect(await verifyStream(store, AUDIT)).toMatchObject({ ok: true, commits: 3 });
  });

  it('that is damaged is not believed', async () => {
    const { activate, store } = await world();
    for (const version of ['v1', 'v2']) await activate(version);
    const damaged: EventStore = {
      ...store,
      read: async (...call) =>
        (await store.read(...call)).map(commit => ({
          ...commit,
          sealed: { ...commit.sealed!, text: commit.sealed!.text.replace('"v1"', '"v3"') },
        })),
    };
    const rollback = new Labels(damaged, () => NOON).rollback('default', 'desk', FINN);
    await expect(rollback).rejects.toMatchObject({ code: 'LogUnreadable' });
  });

  it('that takes nothing at all is an error in the end', async () => {
    const { store } = await world();
    const at = new Date(NOON).toISOString();
    const full: EventStore = {
      ...store,
      commit: async (batch, options) => {
        const head = (await store.head(AUDIT))?.seq ?? 0;
        const prev = (await store.head(AUDIT))?.hash;
        const events = [{ type: 'note.added', data: {} }];
        const other: Commit = {
          stream: AUDIT,
          firstSeq: head + 1,
          at,
          actor: FINN,
          ...(prev === undefined ? {} : { prev }),
          events,
        };
        await store.commit({ appends: [toAppend(other)] }, options);
        await store.commit(batch, options);
      },
    };
    const set = new Labels(full, () => NOON).set('default', 'desk', ACTIVE, 'v1', FINN);
    await expect(set).rejects.toMatchObject({ code: 'StoreConflict' });
  });
});
