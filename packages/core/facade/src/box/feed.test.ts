import type { Commit } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { toAppend } from '@signalbox/runtime';
import { createMemoryStore } from '@signalbox/store-memory';
import { describe, expect, it } from 'vitest';
import { type FeedEntry, feedOf } from './feed.ts';

/** Three streams' commits of one to three events. */
async function filled(chain = true): Promise<EventStore> {
  const store = createMemoryStore({ chain });
  for (const [stream, firstSeq, count] of [
    ['run_a', 1, 3],
    ['run_b', 1, 2],
    ['run_a', 4, 1],
    ['run_c', 1, 3],
  ] as const) {
    const events = Array.from({ length: count }, (_, index) => ({ type: 'note.added', data: { index } }));
    const at = '2026-01-01T00:00:00.000Z';
    const commit: Commit = { stream, firstSeq, at, actor: { kind: 'user', id: 'finn' }, events };
    await store.commit({ appends: [toAppend(commit)] }, { sync: false });
  }
  return store;
}

async function read(store: EventStore, after?: string): Promise<FeedEntry[]> {
  const entries: FeedEntry[] = [];
  for await (const entry of feedOf(store, after)) entries.push(entry);
  return entries;
}

const idsOf = (entries: readonly FeedEntry[]) => entries.map(({ event }) => event.id);

describe('the feed', () => {
  it('goes on with the very next event from the cursor of any of them', async () => {
    const store = await filled();
    const all = await read(store);
    expect(idsOf(all)).toEqual(
      [1, 2, 3].map(seq => `run_a.${seq}`).concat('run_b.1', 'run_b.2', 'run_a.4', 'run_c.1', 'run_c.2', 'run_c.3'),
    );
    for (const [index, { cursor }] of all.entries())
      expect(idsOf(await read(store, cursor))).toEqual(idsOf(all.slice(index + 1)));
    expect(new Set(all.map(({ cursor }) => cursor)).size).toBe(all.length);
  });

  it('refuses cursors that it did not give out', async () => {
    const store = await filled();
    for (const cursor of ['~3', '~9', '4~1', 'x', 'x~1', '-1'])
      await expect(read(store, cursor)).rejects.toMatchObject({ code: 'InvalidCursor' });
  });

  it('tells of a commit that cannot be read, and goes on behind it', async () => {
    const store = await filled();
    const damaged: EventStore = {
      ...store,
      feed: async options => {
        const page = await store.feed(options);
        const commits = page.commits.map(commit =>
          commit.stream === 'run_b' ? { ...commit, sealed: { ...commit.sealed!, text: '{}' } } : commit,
        );
        return { ...page, commits };
      },
    };
    const all = await read(damaged);
    expect(idsOf(all)).toEqual([
      'run_a.1',
      'run_a.2',
      'run_a.3',
      'run_b.1',
      'run_a.4',
      'run_c.1',
      'run_c.2',
      'run_c.3',
    ]);
    const { event, cursor } = all[3]!;
    expect(event).toMatchObject({
      unreadable: true,
      type: 'log.unreadable',
      stream: 'run_b',
      seq: 1,
      data: { code: 'LogUnreadable', lastSeq: 2 },
    });
    expect(idsOf(await read(damaged, cursor))).toEqual(idsOf(all.slice(4)));
  });
});
