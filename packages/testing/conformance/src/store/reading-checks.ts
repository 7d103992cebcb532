import assert from 'node:assert/strict';
import type { EventStore } from '@signalbox/ports';
import { append, assertAllStored, fill, land, runRow } from './make.ts';
import { check, type StoreCheck } from './store-check.ts';

/** Commits of seq 1-3, 4-4, 5-8, 9-10. */
async function fillUneven(store: EventStore): Promise<void> {
  for (const [expected, count] of [
    [0, 3],
    [3, 1],
    [4, 4],
    [8, 2],
  ] as const) {
    await land(store, { appends: [append('run_a', expected, count)] });
  }
}

async function lastSeqs(
  store: EventStore,
  range: { fromSeq?: number; toSeq?: number; limit?: number },
): Promise<number[]> {
  return (await store.read('run_a', range)).map(({ lastSeq }) => lastSeq);
}

export const readingChecks: readonly StoreCheck[] = [
  check('reading from the middle of a commit gives that commit', async ({ store }) => {
    await fillUneven(store);
    assert.deepEqual(await lastSeqs(store, { fromSeq: 2 }), [3, 4, 8, 10]);
    assert.deepEqual(await lastSeqs(store, { fromSeq: 6 }), [8, 10]);
  }),
  check('reading from the border of a commit leaves out the one before', async ({ store }) => {
    await fillUneven(store);
    assert.deepEqual(await lastSeqs(store, { fromSeq: 4 }), [4, 8, 10]);
    assert.deepEqual(await lastSeqs(store, { fromSeq: 10 }), [10]);
  }),
  check('reading from behind the end gives nothing', async ({ store }) => {
    await fillUneven(store);
    assert.deepEqual(await lastSeqs(store, { fromSeq: 11 }), []);
  }),
  check('reading up to a seq ends with the commit that holds it', async ({ store }) => {
    await fillUneven(store);
    assert.deepEqual(await lastSeqs(store, { toSeq: 3 }), [3]);
    assert.deepEqual(await lastSeqs(store, { toSeq: 5 }), [3, 4, 8]);
    assert.deepEqual(await lastSeqs(store, { toSeq: 99 }), [3, 4, 8, 10]);
    assert.deepEqual(await lastSeqs(store, { toSeq: 0 }), []);
  }),
  check('a range gives the commits that hold any of it', async ({ store }) => {
    await fillUneven(store);
    assert.deepEqual(await lastSeqs(store, { fromSeq: 4, toSeq: 5 }), [4, 8]);
    assert.deepEqual(await lastSeqs(store, { fromSeq: 6, toSeq: 6 }), [8]);
  }),
  check('a limit counts commits, and reading goes on behind the last', async ({ store }) => {
    const appended = await fill(store, 'run_a', 25);
    const read = [];
    for (let fromSeq = 1; ; ) {
      const page = await store.read('run_a', { fromSeq, limit: 10 });
      assert.ok(page.length <= 10);
      read.push(...page);
      const last = page.at(-1);
      if (last === undefined) break;
      fromSeq = last.lastSeq + 1;
    }
    assertAllStored(store, read, appended);
  }),
  check('without a limit a read gives a thousand commits', async ({ store }) => {
    const appended = Array.from({ length: 1005 }, (_, index) => append('run_a', index));
    await Promise.all(appended.map(one => land(store, { appends: [one] })));
    assertAllStored(store, await store.read('run_a'), appended.slice(0, 1000));
  }),
  check('streams are listed by prefix', async ({ store }) => {
    for (const name of ['run_a', 'run_b', 'ses_a', 'run', 'Run_a']) await fill(store, name, 1);
    assert.deepEqual(await store.streams({ prefix: 'run_' }), ['run_a', 'run_b']);
    assert.deepEqual(await store.streams({ prefix: 'none' }), []);
    assert.deepEqual(await store.streams({}), ['Run_a', 'run', 'run_a', 'run_b', 'ses_a']);
  }),
  check('a prefix has no wildcards', async ({ store }) => {
    for (const name of ['a%b', 'a_b', 'axb', 'a*b', 'a?b', 'a[b']) await fill(store, name, 1);
    for (const prefix of ['a%', 'a_', 'a*', 'a?', 'a['])
      assert.deepEqual(await store.streams({ prefix }), [`${prefix}b`]);
  }),
  check('streams are listed in code point order, page by page', async ({ store }) => {
    const names = ['s:a', 's:b', 's:é', 's:审', 's:\uff5e', 's:😀'];
    for (const name of names.toReversed()) await fill(store, name, 1);
    assert.deepEqual(await store.streams({ prefix: 's:' }), names);
    const paged: string[] = [];
    for (let after: string | undefined; ; after = paged.at(-1)) {
      const page = await store.streams({ prefix: 's:', limit: 2, ...(after === undefined ? {} : { after }) });
      if (page.length === 0) break;
      paged.push(...page);
    }
    assert.deepEqual(paged, names);
  }),
  check('a name that has rows but no commits is no stream', async ({ store }) => {
    await land(store, { runs: [runRow('run_row', { session: 'ses_row' })] });
    await store.saveSnapshot({ stream: 'run_snap', seq: 1, format: 1, body: '' }, []);
    assert.deepEqual(await store.streams({}), []);
    assert.deepEqual(await store.read('run_row'), []);
    assert.equal(await store.head('run_row'), undefined);
  }),
];
