import { createMemoryStore } from '@signalbox/store-memory';
import { expect, it } from 'vitest';
import { toAppend } from '../log/commit-codec.ts';
import { readFeed } from './read-feed.ts';

it('a store that cannot be reached for a moment is no unreadable commit: the page is read again', async () => {
  const store = createMemoryStore({ chain: true });
  const opened = { type: 'request.opened', data: { request: 'req_1' } };
  const by = { kind: 'system', id: 'test' } as const;
  const commit = { stream: 'run_1', firstSeq: 1, at: '2026-11-30T10:00:00.000Z', actor: by, events: [opened] };
  await store.commit({ appends: [toAppend(commit)] }, { sync: false });
  const filter = { tenant: 'default', types: new Set(['request.opened'] as const) };
  const unreachable = { ...store, request: () => Promise.reject(new Error('busy')) };
  await expect(readFeed(unreachable, undefined, filter)).rejects.toThrow('busy');
  expect(await readFeed(store, undefined, filter)).toMatchObject({ messages: [], unreadable: [] });
});
