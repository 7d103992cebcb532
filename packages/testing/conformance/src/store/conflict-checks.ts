import assert from 'node:assert/strict';
import { type EventStore, isStoreConflict } from '@signalbox/ports';
import { append, appendAfter, assertAllStored, conflictOf, fill, land, winnersOf } from './make.ts';
import { check, checkFor, type StoreCheck } from './store-check.ts';

/** Appends one event, again after each lost race, until it lands. */
async function appendInTheEnd(store: EventStore, stream: string, note: string): Promise<void> {
  for (let attempt = 0; attempt < 1000; attempt += 1) {
    const seq = (await store.head(stream))?.seq ?? 0;
    try {
      await land(store, { appends: [append(stream, seq, 1, note)] });
      return;
    } catch (error) {
      if (!isStoreConflict(error)) throw error;
    }
  }
  assert.fail('a thousand races were lost');
}

export const conflictChecks: readonly StoreCheck[] = [
  check('an append that expects less than there is is refused', async ({ store }) => {
    const appended = await fill(store, 'run_a', 3);
    await conflictOf(land(store, { appends: [append('run_a', 2, 1, 'stale')] }));
    assertAllStored(store, await store.read('run_a'), appended);
  }),
  check('an append that expects more than there is is refused', async ({ store }) => {
    const appended = await fill(store, 'run_a', 3);
    await conflictOf(land(store, { appends: [append('run_a', 4, 1, 'early')] }));
    assertAllStored(store, await store.read('run_a'), appended);
  }),
  check('a stream cannot be begun twice', async ({ store }) => {
    const appended = await fill(store, 'run_a', 1);
    await conflictOf(land(store, { appends: [append('run_a', 0, 5, 'again')] }));
    assertAllStored(store, await store.read('run_a'), appended);
  }),
  check('a stream cannot begin later than at 1', async ({ store }) => {
    await conflictOf(land(store, { appends: [append('run_a', 1)] }));
    assert.equal(await store.head('run_a'), undefined);
  }),
  checkFor(
    'chained',
    'an append to a stream that others have brought to the same length is refused',
    async ({ store }) => {
      const [first] = await fill(store, 'run_a', 1);
      const [mine, theirs] = [appendAfter(first!, 'mine'), appendAfter(first!, 'theirs')];
      await land(store, { appends: [theirs] });
      await conflictOf(land(store, { appends: [appendAfter(mine)] }));
      assertAllStored(store, await store.read('run_a'), [first!, theirs]);
    },
  ),
  checkFor('chained', 'appends that follow one that is refused are refused with it', async ({ store, another }) => {
    const [first] = await fill(store, 'run_a', 1);
    const theirs = appendAfter(first!, 'theirs');
    await land(await another(), { appends: [theirs] });
    const mine = appendAfter(first!, 'mine');
    const next = appendAfter(mine);
    const landings = [mine, next, appendAfter(next)].map(one => land(store, { appends: [one] }));
    for (const landing of landings) await conflictOf(landing);
    assertAllStored(store, await store.read('run_a'), [first!, theirs]);
  }),
  check('commits that are followed by more land in the order of the calls', async ({ store }) => {
    const appends = [append('run_a', 0)];
    for (let count = 1; count < 200; count += 1) appends.push(appendAfter(appends[count - 1]!, `${count}`));
    await Promise.all(
      appends.map((one, index) => store.commit({ appends: [one] }, { sync: index % 7 === 0, followed: index % 4 > 0 })),
    );
    assertAllStored(store, await store.read('run_a'), appends);
  }),
  check('a commit that is followed by none lands all the same', async ({ store }) => {
    const alone = append('run_a', 0);
    await store.commit({ appends: [alone] }, { sync: false, followed: true });
    assertAllStored(store, await store.read('run_a'), [alone]);
  }),
  check('a commit of which is told that it is written is there for other store objects', async ({ store, another }) => {
    const other = await another();
    const one = append('run_a', 0);
    let seen: Promise<unknown> | undefined;
    const written = () => {
      assert.equal(seen, undefined, 'told once');
      seen = other.head('run_a');
    };
    await store.commit({ appends: [one] }, { sync: true, written });
    if (seen !== undefined) assert.deepEqual(await seen, await store.head('run_a'));
    assertAllStored(store, await store.read('run_a'), [one]);
  }),
  check('a commit that is refused is not told as written', async ({ store }) => {
    await fill(store, 'run_a', 2);
    let told = 0;
    const written = () => {
      told += 1;
    };
    await conflictOf(store.commit({ appends: [append('run_a', 1)] }, { sync: true, written }));
    assert.equal(told, 0);
  }),
  check('a conflict names the stream, the seq expected and the actual one', async ({ store }) => {
    await fill(store, 'run_a', 3);
    const { details } = await conflictOf(land(store, { appends: [append('run_a', 1)] }));
    assert.deepEqual(
      { stream: details.stream, expectedSeq: details.expectedSeq, actualSeq: details.actualSeq },
      { stream: 'run_a', expectedSeq: 1, actualSeq: 3 },
    );
  }),
  check('a second append of one batch that leaves a gap is refused with the first', async ({ store }) => {
    await conflictOf(land(store, { appends: [append('run_a', 0), append('run_a', 2)] }));
    assert.equal(await store.head('run_a'), undefined);
  }),
  check('of two appends that race exactly one lands, and stands', async ({ store }) => {
    await fill(store, 'run_a', 2);
    const racers = [append('run_a', 2, 1, 'left'), append('run_a', 2, 1, 'right')];
    const winners = await winnersOf(racers.map(one => land(store, { appends: [one] })));
    assert.equal(winners.length, 1);
    assertAllStored(
      store,
      await store.read('run_a', { fromSeq: 3 }),
      racers.filter((_, index) => winners.includes(index)),
    );
  }),
  check('of forty appends that race exactly one lands', async ({ store }) => {
    const racers = Array.from({ length: 40 }, (_, index) => append('run_a', 0, 1, `n${index}`));
    const winners = await winnersOf(racers.map(one => land(store, { appends: [one] })));
    assert.equal(winners.length, 1);
    assert.equal((await store.head('run_a'))?.seq, 1);
  }),
  check('after a conflict the stream takes the right append', async ({ store }) => {
    await fill(store, 'run_a', 2);
    await conflictOf(land(store, { appends: [append('run_a', 1)] }));
    await land(store, { appends: [append('run_a', 2)] });
    assert.equal((await store.head('run_a'))?.seq, 3);
  }),
  check('a conflict does not touch the commits called before and after it', async ({ store }) => {
    const good = Array.from({ length: 30 }, (_, index) => append(`run_${index}`, 0));
    const attempts = good.flatMap(one => [
      land(store, { appends: [one] }),
      land(store, { appends: [append(one.stream, 7)] }),
    ]);
    const outcomes = (await Promise.allSettled(attempts)).map(({ status }) => status);
    assert.deepEqual(
      outcomes,
      good.flatMap(() => ['fulfilled', 'rejected']),
    );
    for (const one of good) assertAllStored(store, await store.read(one.stream), [one]);
  }),
  check('a refused append can be followed in the same breath by the right one', async ({ store }) => {
    await fill(store, 'run_a', 1);
    const [stale, right, next] = await Promise.allSettled([
      land(store, { appends: [append('run_a', 0)] }),
      land(store, { appends: [append('run_a', 1)] }),
      land(store, { appends: [append('run_a', 2)] }),
    ]);
    assert.deepEqual([stale.status, right.status, next.status], ['rejected', 'fulfilled', 'fulfilled']);
    assert.equal((await store.head('run_a'))?.seq, 3);
  }),
  check('writers that load and try again lose no update', async ({ store }) => {
    const notes = Array.from({ length: 20 }, (_, index) => `n${index}`);
    await Promise.all(notes.map(note => appendInTheEnd(store, 'run_a', note)));
    assert.equal((await store.read('run_a')).length, notes.length);
    assert.equal((await store.head('run_a'))?.seq, notes.length);
  }),
  check('a store object that has written is refused after another one wrote', async ({ store, another }) => {
    const other = await another();
    await fill(store, 'run_a', 2);
    await fill(other, 'run_a', 1, 2);
    await conflictOf(land(store, { appends: [append('run_a', 2, 1, 'stale')] }));
    await land(store, { appends: [append('run_a', 3)] });
    await conflictOf(land(other, { appends: [append('run_a', 3, 1, 'stale')] }));
    assert.equal((await other.head('run_a'))?.seq, 4);
  }),
  check('of appends of two store objects that race exactly one lands', async ({ store, another }) => {
    const other = await another();
    for (let seq = 0; seq < 10; seq += 1) {
      const attempts = [store, other].map((one, index) =>
        land(one, { appends: [append('run_a', seq, 1, `w${index}`)] }),
      );
      assert.equal((await winnersOf(attempts)).length, 1);
    }
    assert.equal((await store.read('run_a')).length, 10);
  }),
  check('writers of two store objects lose no update', async ({ store, another }) => {
    const other = await another();
    const notes = Array.from({ length: 30 }, (_, index) => `n${index}`);
    await Promise.all(notes.map((note, index) => appendInTheEnd(index % 2 === 0 ? store : other, 'run_a', note)));
    const stored = await store.read('run_a');
    assert.deepEqual(
      stored.map(({ lastSeq }) => lastSeq),
      notes.map((_, index) => index + 1),
    );
  }),
];
