import assert from 'node:assert/strict';
import type { EventStore } from '@signalbox/ports';
import { append, assertAllStored, fill, from, land, nameOf, rejectsWith, wholeFeed } from './make.ts';
import { check, type StoreCheck } from './store-check.ts';

/** Reads the feed again and again until `isOver` holds and a page came empty; gives the names in the order read. */
async function follow(store: EventStore, limit: number, isOver: () => boolean): Promise<string[]> {
  const seen: string[] = [];
  let after: string | undefined;
  for (;;) {
    const over = isOver();
    const page = await store.feed({ ...from(after), limit });
    seen.push(...page.commits.map(nameOf));
    after = page.cursor;
    if (over && page.commits.length === 0) return seen;
    await new Promise(resolve => setImmediate(resolve));
  }
}

function expectedNames(streams: readonly string[], count: number): string[] {
  return streams.flatMap(stream => Array.from({ length: count }, (_, index) => `${stream}.${index + 1}`)).sort();
}

/** Each stream's commits stand in order of seq. */
function assertStreamOrder(seen: readonly string[]): void {
  const last = new Map<string, number>();
  for (const name of seen) {
    const [stream = '', seq = '0'] = name.split('.');
    assert.equal(Number(seq), (last.get(stream) ?? 0) + 1, `${name} is out of order`);
    last.set(stream, Number(seq));
  }
}

export const feedChecks: readonly StoreCheck[] = [
  check('the feed of an empty store gives a cursor that goes on with what comes later', async ({ store }) => {
    const empty = await store.feed({});
    assert.deepEqual(empty.commits, []);
    const appended = await fill(store, 'run_a', 3);
    assertAllStored(store, (await store.feed({ after: empty.cursor })).commits, appended);
  }),
  check('the feed gives all streams in the order of committing', async ({ store }) => {
    const appended = [];
    for (let round = 0; round < 5; round += 1) {
      for (const stream of ['run_b', 'run_a', 'ses_c']) appended.push(...(await fill(store, stream, 1, round)));
    }
    assertAllStored(store, (await store.feed({})).commits, appended);
  }),
  check('pages of any size give the same feed', async ({ store }) => {
    const appended = [...(await fill(store, 'run_a', 7)), ...(await fill(store, 'run_b', 6))];
    for (const limit of [1, 2, 3, 7, 13, 14]) assertAllStored(store, await wholeFeed(store, limit), appended);
  }),
  check('without a limit a page gives a thousand commits', async ({ store }) => {
    const appended = Array.from({ length: 1005 }, (_, index) => append('run_a', index));
    await Promise.all(appended.map(one => land(store, { appends: [one] })));
    assert.equal((await store.feed({})).commits.length, 1000);
  }),
  check('the cursor of each commit goes on right behind it', async ({ store }) => {
    const appended = await fill(store, 'run_a', 5);
    const page = await store.feed({});
    assert.equal(page.cursors.length, 5);
    assert.equal(page.cursors.at(-1), page.cursor);
    for (const [index, after] of page.cursors.entries())
      assertAllStored(store, (await store.feed({ after })).commits, appended.slice(index + 1));
    assert.deepEqual((await store.feed({ after: page.cursor })).cursors, []);
  }),
  check('the end of the feed goes on with what comes later alone', async ({ store }) => {
    const empty = await store.feedEnd();
    const before = await fill(store, 'run_a', 3);
    assertAllStored(store, (await store.feed({ after: empty })).commits, before);
    const after = await store.feedEnd();
    const later = await fill(store, 'run_b', 2);
    assertAllStored(store, (await store.feed({ after })).commits, later);
  }),
  check('the cursor of an empty page goes on where it was', async ({ store }) => {
    await fill(store, 'run_a', 2);
    const { cursor } = await store.feed({});
    const empty = await store.feed({ after: cursor });
    assert.deepEqual(empty.commits, []);
    const appended = await fill(store, 'run_b', 2);
    assertAllStored(store, (await store.feed({ after: empty.cursor })).commits, appended);
    assertAllStored(store, (await store.feed({ after: cursor })).commits, appended);
  }),
  check('the same cursor gives the same page again', async ({ store }) => {
    await fill(store, 'run_a', 6);
    const { cursor } = await store.feed({ limit: 2 });
    const first = (await store.feed({ after: cursor, limit: 2 })).commits.map(nameOf);
    assert.deepEqual(first, ['run_a.3', 'run_a.4']);
    assert.deepEqual((await store.feed({ after: cursor, limit: 2 })).commits.map(nameOf), first);
  }),
  check('the appends of a batch stand in the order of the batch', async ({ store }) => {
    const appends = ['run_c', 'run_a', 'run_b'].map(stream => append(stream, 0));
    await land(store, { appends });
    assertAllStored(store, (await store.feed({})).commits, appends);
  }),
  check('a batch can be cut between two pages', async ({ store }) => {
    const appends = ['run_c', 'run_a', 'run_b'].map(stream => append(stream, 0));
    await land(store, { appends });
    assertAllStored(store, await wholeFeed(store, 2), appends);
  }),
  check('refused commits leave no hole and no trace in the feed', async ({ store }) => {
    const appended = [];
    for (let seq = 0; seq < 5; seq += 1) {
      await Promise.allSettled([land(store, { appends: [append('run_b', 0), append('run_a', 99)] })]);
      appended.push(...(await fill(store, 'run_a', 1, seq)));
    }
    assertAllStored(store, await wholeFeed(store, 2), appended);
  }),
  check('nothing appears before a cursor while commits are coming in', async ({ store }) => {
    const streams = Array.from({ length: 8 }, (_, index) => `run_${index}`);
    let writing = true;
    const following = Promise.all([follow(store, 3, () => !writing), follow(store, 100, () => !writing)]);
    await Promise.all(streams.map(stream => fill(store, stream, 25)));
    writing = false;
    for (const seen of await following) {
      assert.deepEqual(seen.toSorted(), expectedNames(streams, 25));
      assertStreamOrder(seen);
    }
  }),
  check('nothing appears before a cursor while several store objects write', async ({ store, another }) => {
    const writers = [store, await another(), await another()];
    const reader = await another();
    const streams = writers.flatMap((_, index) => [`run_${index}a`, `run_${index}b`]);
    let writing = true;
    const following = Promise.all([follow(reader, 5, () => !writing), follow(store, 50, () => !writing)]);
    await Promise.all(
      writers.flatMap((writer, index) => [fill(writer, `run_${index}a`, 20), fill(writer, `run_${index}b`, 20)]),
    );
    writing = false;
    const [one, other] = await following;
    assert.deepEqual(one.toSorted(), expectedNames(streams, 20));
    assert.deepEqual(other, one);
    assertStreamOrder(one);
  }),
  check('a cursor is good for every store object on the data', async ({ store, another }) => {
    await fill(store, 'run_a', 4);
    const { cursor } = await store.feed({ limit: 2 });
    const other = await another();
    assert.deepEqual((await other.feed({ after: cursor })).commits.map(nameOf), ['run_a.3', 'run_a.4']);
  }),
  check('a cursor that the feed did not give out is refused as InvalidCursor', async ({ store }) => {
    await fill(store, 'run_a', 2);
    await rejectsWith('InvalidCursor', store.feed({ after: 'yesterday' }));
    await rejectsWith('InvalidCursor', store.feed({ after: '' }));
  }),
];
