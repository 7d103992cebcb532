import assert from 'node:assert/strict';
import type { EventStore, Snapshot } from '@signalbox/ports';
import { assertAllStored, fill } from './make.ts';
import { check, type StoreCheck } from './store-check.ts';

const snapshotAt = (seq: number, stream = 'run_a'): Snapshot => ({ stream, seq, format: 1, body: `{"at":${seq}}` });

async function chunkTexts(
  store: EventStore,
  ids: readonly string[],
  stream = 'run_a',
): Promise<Record<string, string>> {
  return Object.fromEntries((await store.chunks(stream, ids)).map(({ id, text }) => [id, text]));
}

export const snapshotChecks: readonly StoreCheck[] = [
  check('some snapshots are dropped alone, and the chunks of the others stay', async ({ store }) => {
    await fill(store, 'run_a', 9);
    for (const seq of [9, 3, 6])
      await store.saveSnapshot({ stream: 'run_a', seq, format: 1, body: `${seq}` }, [{ id: `c${seq}`, text: 'x' }]);
    assert.deepEqual(await store.snapshotSeqs('run_a'), [3, 6, 9]);
    await store.dropSnapshots('run_a', [3, 9, 7]);
    assert.deepEqual(await store.snapshotSeqs('run_a'), [6]);
    assert.equal((await store.snapshot('run_a'))?.body, '6');
    assert.equal((await store.chunks('run_a', ['c3', 'c6', 'c9'])).length, 3);
    assert.deepEqual(await store.snapshotSeqs('run_none'), []);
  }),
  check('an unknown stream has no snapshot and no chunks', async ({ store }) => {
    assert.equal(await store.snapshot('run_none'), undefined);
    assert.deepEqual(await store.chunks('run_none', ['c1']), []);
    await store.dropSnapshots('run_none');
  }),
  check('the newest snapshot is given, whatever the order of saving', async ({ store }) => {
    for (const seq of [10, 30, 20]) await store.saveSnapshot(snapshotAt(seq), []);
    assert.deepEqual({ ...(await store.snapshot('run_a')) }, snapshotAt(30));
  }),
  check('no snapshot is newer than asked for', async ({ store }) => {
    for (const seq of [10, 20, 30]) await store.saveSnapshot(snapshotAt(seq), []);
    assert.equal((await store.snapshot('run_a', 29))?.seq, 20);
    assert.equal((await store.snapshot('run_a', 20))?.seq, 20);
    assert.equal(await store.snapshot('run_a', 9), undefined);
  }),
  check('a snapshot saved again at its seq replaces the first', async ({ store }) => {
    await store.saveSnapshot(snapshotAt(10), []);
    const better = { ...snapshotAt(10), format: 2, body: 'better' };
    await store.saveSnapshot(better, []);
    assert.deepEqual({ ...(await store.snapshot('run_a')) }, better);
  }),
  check('streams have snapshots and chunks of their own', async ({ store }) => {
    await store.saveSnapshot(snapshotAt(10, 'run_a'), [{ id: 'c1', text: 'a' }]);
    await store.saveSnapshot(snapshotAt(20, 'run_b'), [{ id: 'c1', text: 'b' }]);
    assert.equal((await store.snapshot('run_a'))?.seq, 10);
    assert.deepEqual(await chunkTexts(store, ['c1'], 'run_a'), { c1: 'a' });
    assert.deepEqual(await chunkTexts(store, ['c1'], 'run_b'), { c1: 'b' });
  }),
  check('chunks of earlier snapshots stay for later ones', async ({ store }) => {
    await store.saveSnapshot(snapshotAt(10), [
      { id: 'c1', text: 'one' },
      { id: 'c2', text: '' },
    ]);
    await store.saveSnapshot(snapshotAt(20), [{ id: 'c3', text: '三' }]);
    assert.deepEqual(await chunkTexts(store, ['c3', 'c1', 'c2']), { c1: 'one', c2: '', c3: '三' });
  }),
  check('chunks that are not there are left out', async ({ store }) => {
    await store.saveSnapshot(snapshotAt(10), [{ id: 'c1', text: 'one' }]);
    assert.deepEqual(await chunkTexts(store, ['c0', 'c1', 'c9']), { c1: 'one' });
    assert.deepEqual(await chunkTexts(store, []), {});
  }),
  check('hundreds of chunks are given at once', async ({ store }) => {
    const chunks = Array.from({ length: 1500 }, (_, index) => ({ id: `c${index}`, text: `t${index}` }));
    await store.saveSnapshot(snapshotAt(10), chunks);
    assert.equal(
      Object.keys(
        await chunkTexts(
          store,
          chunks.map(({ id }) => id),
        ),
      ).length,
      1500,
    );
  }),
  check('dropping takes the snapshots and chunks of one stream and no commit', async ({ store }) => {
    const appended = await fill(store, 'run_a', 3);
    await store.saveSnapshot(snapshotAt(2), [{ id: 'c1', text: 'one' }]);
    await store.saveSnapshot(snapshotAt(2, 'run_b'), [{ id: 'c1', text: 'b' }]);
    await store.dropSnapshots('run_a');
    assert.equal(await store.snapshot('run_a'), undefined);
    assert.deepEqual(await chunkTexts(store, ['c1']), {});
    assert.equal((await store.snapshot('run_b'))?.seq, 2);
    assertAllStored(store, await store.read('run_a'), appended);
  }),
];
