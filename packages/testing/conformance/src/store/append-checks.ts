import assert from 'node:assert/strict';
import { append, assertAllStored, assertStored, fill, land, rejectionOf, rejectsWith } from './make.ts';
import { check, checkFor, type StoreCheck } from './store-check.ts';

export const appendChecks: readonly StoreCheck[] = [
  check('an unknown stream has no head', async ({ store }) => {
    assert.equal(await store.head('run_none'), undefined);
  }),
  check('an unknown stream reads as empty', async ({ store }) => {
    assert.deepEqual(await store.read('run_none'), []);
  }),
  check('the first event of a stream has seq 1', async ({ store }) => {
    await land(store, { appends: [append('run_a', 0)] });
    const [first] = await store.read('run_a');
    assert.equal(first?.firstSeq, 1);
    assert.equal((await store.head('run_a'))?.seq, 1);
  }),
  check('the head gives the last seq, and the hash of the last commit where there is a chain', async ({ store }) => {
    const appended = append('run_a', 3, 4, 'last');
    await land(store, { appends: [append('run_a', 0, 3)] });
    await land(store, { appends: [appended] });
    const hash = store.features.chained ? appended.seal().hash : undefined;
    assert.deepEqual({ ...(await store.head('run_a')) }, { seq: 7, hash });
  }),
  check('fifty commits stand without a gap, in order', async ({ store }) => {
    const appended = await fill(store, 'run_a', 50);
    assertAllStored(store, await store.read('run_a'), appended);
  }),
  check('commits of several events cover all their sequence numbers', async ({ store }) => {
    const appended = [append('run_a', 0, 3), append('run_a', 3, 1), append('run_a', 4, 5)];
    for (const one of appended) await land(store, { appends: [one] });
    const stored = await store.read('run_a');
    assertAllStored(store, stored, appended);
    assert.deepEqual(
      stored.map(({ firstSeq, lastSeq }) => [firstSeq, lastSeq]),
      [
        [1, 3],
        [4, 4],
        [5, 9],
      ],
    );
  }),
  check('streams do not mix', async ({ store }) => {
    const a = await fill(store, 'run_a', 3);
    const b = await fill(store, 'run_ab', 5);
    assertAllStored(store, await store.read('run_a'), a);
    assertAllStored(store, await store.read('run_ab'), b);
  }),
  check('streams are told apart by every character of their name', async ({ store }) => {
    const names = [
      'run',
      'Run',
      'run ',
      'run/1',
      "run'1",
      'run"1',
      'run%',
      'run_',
      '审批',
      '審批',
      '😀',
      'e\u0301',
      '\u00e9',
    ];
    for (const [index, name] of names.entries()) await fill(store, name, index + 1);
    for (const [index, name] of names.entries()) assert.equal((await store.head(name))?.seq, index + 1, name);
  }),
  check('a second append to a stream in one batch follows the first', async ({ store }) => {
    const appended = [append('run_a', 0, 2, 'first'), append('run_b', 0), append('run_a', 2, 1, 'second')];
    await land(store, { appends: appended });
    assertAllStored(
      store,
      await store.read('run_a'),
      [appended[0], appended[2]].filter(one => one !== undefined),
    );
  }),
  check('an append without events is refused as InvalidAppend, with all of its batch', async ({ store }) => {
    await rejectsWith('InvalidAppend', land(store, { appends: [append('run_b', 0), append('run_a', 0, 0)] }));
    assert.equal(await store.head('run_a'), undefined);
    assert.equal(await store.head('run_b'), undefined);
  }),
  check('an empty batch lands', async ({ store }) => {
    await land(store, {});
    assert.deepEqual((await store.feed({})).commits, []);
  }),
  check('appends called one after the other without waiting land in that order', async ({ store }) => {
    const appended = Array.from({ length: 300 }, (_, index) => append('run_a', index, 1, `n${index}`));
    await Promise.all(appended.map(one => land(store, { appends: [one] })));
    assertAllStored(store, await store.read('run_a'), appended);
  }),
  check('what was committed is read at once', async ({ store }) => {
    for (let seq = 0; seq < 20; seq += 1) {
      const one = append('run_a', seq);
      await land(store, { appends: [one] });
      assertStored(store, (await store.read('run_a', { fromSeq: seq + 1 }))[0], one);
    }
  }),
  check('commits that ask for a sync and commits that do not stand in one order', async ({ store }) => {
    const appended = Array.from({ length: 20 }, (_, index) => append('run_a', index));
    await Promise.all(appended.map((one, index) => store.commit({ appends: [one] }, { sync: index % 3 === 0 })));
    assertAllStored(store, await store.read('run_a'), appended);
  }),
  checkFor('chained', 'text and hash are kept as seal gave them', async ({ store }) => {
    const sealed = { text: 'not even JSON', hash: '0f'.repeat(32) };
    await land(store, { appends: [{ ...append('run_a', 0), seal: () => sealed }] });
    assert.deepEqual((await store.read('run_a'))[0]?.sealed, sealed);
    assert.equal((await store.head('run_a'))?.hash, sealed.hash);
  }),
  checkFor('chained', 'a seal that throws leaves nothing of its batch and lets others land', async ({ store }) => {
    const broken = {
      ...append('run_a', 0),
      seal: () => {
        throw new RangeError('too deep');
      },
    };
    const [failed, landed] = await Promise.allSettled([
      land(store, { appends: [append('run_b', 0), broken] }),
      land(store, { appends: [append('run_c', 0)] }),
    ]);
    assert.equal(failed.status, 'rejected');
    assert.equal(landed.status, 'fulfilled');
    assert.equal(await store.head('run_b'), undefined);
    assert.equal((await store.head('run_c'))?.seq, 1);
  }),
  checkFor('objects', 'seal is not called', async ({ store }) => {
    const seal = () => assert.fail('seal was called');
    await land(store, { appends: [{ ...append('run_a', 0), seal }] });
    assert.equal((await store.head('run_a'))?.seq, 1);
  }),
  checkFor('objects', 'commits come back as the objects they were, without a hash', async ({ store }) => {
    const one = append('run_a', 0, 2, '审批 😀 e\u0301 \\u0000');
    await land(store, { appends: [one] });
    const [stored] = await store.read('run_a');
    assert.deepEqual(stored, { stream: 'run_a', firstSeq: 1, lastSeq: 2, commit: one.commit });
    assert.equal((await store.head('run_a'))?.hash, undefined);
  }),
  check('a rejected commit rejects with an Error', async ({ store }) => {
    assert.ok((await rejectionOf(land(store, { appends: [append('run_a', 5)] }))) instanceof Error);
  }),
];
