import assert from 'node:assert/strict';
import { isCounterFull, type StoreConflict } from '@signalbox/ports';
import { append, assertAllStored, fill, land, rejectionOf, runRow } from './make.ts';
import { check, type StoreCheck } from './store-check.ts';

const payload = (digest: string, text: string, tenant = 'default') => ({ tenant, digest, text });
const erasure = (digest: string, tenant = 'default') => ({ tenant, digest });
const documentOf = (hash: string, name = 'desk', createdAt = 1, kind = 'graph') => ({
  kind,
  name,
  hash,
  createdAt,
  text: `text of ${kind} ${hash}`,
});
const labelOf = (label: string, hash: string, name = 'desk', tenant = 'default', kind = 'graph') => ({
  tenant,
  kind,
  name,
  label,
  hash,
});

export const payloadChecks: readonly StoreCheck[] = [
  check('a payload is given by tenant and digest', async ({ store }) => {
    await land(store, { payloads: [payload('p1', 'one'), payload('p2', ''), payload('p1', 'north', 'north')] });
    assert.equal(await store.payload('default', 'p1'), 'one');
    assert.equal(await store.payload('default', 'p2'), '');
    assert.equal(await store.payload('north', 'p1'), 'north');
    assert.equal(await store.payload('north', 'p2'), undefined);
  }),
  check('an unknown payload is undefined, and not erased', async ({ store }) => {
    assert.equal(await store.payload('default', 'p1'), undefined);
    assert.equal(await store.payloadErased('default', 'p1'), false);
  }),
  check('a payload that is there stays as it is', async ({ store }) => {
    await land(store, { payloads: [payload('p1', 'one')] });
    await land(store, { payloads: [payload('p1', 'two')] });
    assert.equal(await store.payload('default', 'p1'), 'one');
  }),
  check('a payload is replaced where it is there, for its tenant alone', async ({ store, another }) => {
    const other = await another();
    await land(store, { payloads: [payload('p1', 'one'), payload('p1', 'north', 'north')] });
    await land(store, { replacements: [payload('p1', 'two'), payload('p2', 'nobody had it')] });
    assert.equal(await store.payload('default', 'p1'), 'two');
    assert.equal(await other.payload('default', 'p1'), 'two');
    assert.equal(await store.payload('north', 'p1'), 'north');
    assert.equal(await store.payload('default', 'p2'), undefined);
    assert.equal(await store.payloadErased('default', 'p2'), false);
  }),
  check('an erased payload is not replaced', async ({ store }) => {
    await land(store, { payloads: [payload('p1', 'one')] });
    await land(store, { erasures: [erasure('p1')] });
    await land(store, { replacements: [payload('p1', 'two')] });
    assert.equal(await store.payload('default', 'p1'), undefined);
    assert.equal(await store.payloadErased('default', 'p1'), true);
  }),
  check('an erased payload is undefined, and known as erased', async ({ store }) => {
    await land(store, { payloads: [payload('p1', 'one'), payload('p2', 'two')] });
    assert.equal(await store.payload('default', 'p1'), 'one');
    await land(store, { erasures: [erasure('p1')] });
    assert.equal(await store.payload('default', 'p1'), undefined);
    assert.equal(await store.payloadErased('default', 'p1'), true);
    assert.equal(await store.payload('default', 'p2'), 'two');
    assert.equal(await store.payloadErased('default', 'p2'), false);
  }),
  check('a payload is erased for its tenant alone', async ({ store }) => {
    await land(store, { payloads: [payload('p1', 'n', 'north'), payload('p1', 's', 'south')] });
    await land(store, { erasures: [erasure('p1', 'north')] });
    assert.equal(await store.payload('south', 'p1'), 's');
    assert.equal(await store.payloadErased('south', 'p1'), false);
  }),
  check('an erased payload stays erased when it is brought again', async ({ store }) => {
    await land(store, { payloads: [payload('p1', 'one')] });
    await land(store, { erasures: [erasure('p1')] });
    await land(store, { payloads: [payload('p1', 'one')] });
    assert.equal(await store.payload('default', 'p1'), undefined);
    assert.equal(await store.payloadErased('default', 'p1'), true);
  }),
  check('a digest is known as erased also when its bytes never came', async ({ store }) => {
    await land(store, { erasures: [erasure('p1'), erasure('p1')] });
    assert.equal(await store.payloadErased('default', 'p1'), true);
    await land(store, { payloads: [payload('p1', 'late')] });
    assert.equal(await store.payload('default', 'p1'), undefined);
  }),
  check('bytes that come and are erased in one batch are erased', async ({ store }) => {
    await land(store, { payloads: [payload('p1', 'one')], erasures: [erasure('p1')] });
    assert.equal(await store.payload('default', 'p1'), undefined);
    assert.equal(await store.payloadErased('default', 'p1'), true);
  }),
  check('erasing leaves every commit as it was', async ({ store }) => {
    const appended = await fill(store, 'run_a', 3);
    await land(store, { payloads: [payload('p1', 'one')] });
    const last = append('run_a', 3, 1, 'payload.erased');
    await land(store, { appends: [last], erasures: [erasure('p1')] });
    assertAllStored(store, await store.read('run_a'), [...appended, last]);
  }),
  check('an erasure is seen by every store object', async ({ store, another }) => {
    const other = await another();
    await land(store, { payloads: [payload('p1', 'one')] });
    assert.equal(await other.payload('default', 'p1'), 'one');
    await land(store, { erasures: [erasure('p1')] });
    assert.equal(await other.payload('default', 'p1'), undefined);
    assert.equal(await other.payloadErased('default', 'p1'), true);
  }),
];

export const documentChecks: readonly StoreCheck[] = [
  check('a document is given by kind and hash', async ({ store }) => {
    await land(store, { documents: [documentOf('h1'), documentOf('h1', 'desk', 1, 'prompt')] });
    assert.equal(await store.document('graph', 'h1'), 'text of graph h1');
    assert.equal(await store.document('prompt', 'h1'), 'text of prompt h1');
    assert.equal(await store.document('graph', 'h2'), undefined);
    assert.equal(await store.document('contract', 'h1'), undefined);
  }),
  check('a document never changes', async ({ store }) => {
    await land(store, { documents: [documentOf('h1')] });
    await land(store, { documents: [{ ...documentOf('h1'), text: 'other', createdAt: 9 }] });
    assert.equal(await store.document('graph', 'h1'), 'text of graph h1');
    assert.deepEqual(
      (await store.documents('graph')).map(row => ({ ...row })),
      [{ kind: 'graph', name: 'desk', hash: 'h1', createdAt: 1 }],
    );
  }),
  check('documents are listed by kind and name, in the order of storing, without their text', async ({ store }) => {
    await land(store, { documents: [documentOf('h2', 'desk', 5), documentOf('h1', 'mail', 6)] });
    await land(store, { documents: [documentOf('h3', 'desk', 7), documentOf('h4', 'desk', 8, 'prompt')] });
    assert.deepEqual(
      (await store.documents('graph')).map(({ hash }) => hash),
      ['h2', 'h1', 'h3'],
    );
    assert.deepEqual(
      (await store.documents('graph', 'desk')).map(row => ({ ...row })),
      [
        { kind: 'graph', name: 'desk', hash: 'h2', createdAt: 5 },
        { kind: 'graph', name: 'desk', hash: 'h3', createdAt: 7 },
      ],
    );
    assert.deepEqual(await store.documents('graph', 'none'), []);
  }),
  check('one text under two names is listed under both', async ({ store }) => {
    await land(store, { documents: [documentOf('h1', 'desk'), documentOf('h1', 'mail')] });
    assert.equal((await store.documents('graph', 'desk')).length, 1);
    assert.equal((await store.documents('graph', 'mail')).length, 1);
  }),
  check('a label points to what it was last set to', async ({ store }) => {
    await land(store, { labels: [labelOf('active', 'h1'), labelOf('beta', 'h2')] });
    await land(store, { labels: [labelOf('active', 'h3')] });
    assert.equal(await store.label('default', 'graph', 'desk', 'active'), 'h3');
    assert.equal(await store.label('default', 'graph', 'desk', 'beta'), 'h2');
    assert.equal(await store.label('default', 'graph', 'desk', 'none'), undefined);
  }),
  check('labels belong to tenant, kind and name', async ({ store }) => {
    await land(store, { labels: [labelOf('active', 'h1')] });
    assert.equal(await store.label('north', 'graph', 'desk', 'active'), undefined);
    assert.equal(await store.label('default', 'prompt', 'desk', 'active'), undefined);
    assert.equal(await store.label('default', 'graph', 'mail', 'active'), undefined);
    assert.deepEqual(await store.labels('north', 'graph'), []);
  }),
  check('labels are listed by name, then label', async ({ store }) => {
    await land(store, {
      labels: [
        labelOf('z', 'h1'),
        labelOf('a', 'h2'),
        labelOf('m', 'h3', 'alpha'),
        labelOf('a', 'h4', 'desk', 'north'),
        labelOf('a', 'h5', 'desk', 'default', 'prompt'),
      ],
    });
    assert.deepEqual(
      (await store.labels('default', 'graph')).map(row => ({ ...row })),
      [
        { kind: 'graph', name: 'alpha', label: 'm', hash: 'h3' },
        { kind: 'graph', name: 'desk', label: 'a', hash: 'h2' },
        { kind: 'graph', name: 'desk', label: 'z', hash: 'h1' },
      ],
    );
    assert.deepEqual(
      (await store.labels('default', 'graph', 'desk')).map(({ label }) => label),
      ['a', 'z'],
    );
  }),
];

export const counterChecks: readonly StoreCheck[] = [
  check('an unknown counter is 0', async ({ store }) => {
    assert.equal(await store.counter('default', 'tokens'), 0);
  }),
  check('a counter adds up, over commits and within one', async ({ store }) => {
    const add = (amount: number) => ({ tenant: 'default', key: 'tokens', add: amount });
    await land(store, { counters: [add(3), add(4)] });
    await land(store, { counters: [add(10), add(-2)] });
    assert.equal(await store.counter('default', 'tokens'), 15);
  }),
  check('counters belong to tenant and key', async ({ store }) => {
    await land(store, {
      counters: [
        { tenant: 'north', key: 'a', add: 1 },
        { tenant: 'south', key: 'a', add: 2 },
        { tenant: 'north', key: 'b', add: 4 },
      ],
    });
    assert.equal(await store.counter('north', 'a'), 1);
    assert.equal(await store.counter('south', 'a'), 2);
    assert.equal(await store.counter('north', 'b'), 4);
  }),
  check('a counter takes fractions and large numbers', async ({ store }) => {
    await land(store, {
      counters: [
        { tenant: 'default', key: 'half', add: 0.5 },
        { tenant: 'default', key: 'large', add: 2 ** 52 },
      ],
    });
    await land(store, {
      counters: [
        { tenant: 'default', key: 'half', add: 0.25 },
        { tenant: 'default', key: 'large', add: 1 },
      ],
    });
    assert.equal(await store.counter('default', 'half'), 0.75);
    assert.equal(await store.counter('default', 'large'), 2 ** 52 + 1);
  }),
  check('a counter adds up over store objects that write at once', async ({ store, another }) => {
    const stores = [store, await another(), await another()];
    await Promise.all(
      Array.from({ length: 90 }, (_, index) =>
        land(stores[index % 3] ?? store, { counters: [{ tenant: 'default', key: 'tokens', add: 1 }] }),
      ),
    );
    for (const one of stores) assert.equal(await one.counter('default', 'tokens'), 90);
  }),
  check(
    'a change that would bring a counter over its bound is a conflict, and nothing of its commit lands',
    async ({ store }) => {
      const change = (add: number, max?: number) => ({ tenant: 'default', key: 'tokens', add, ...(max && { max }) });
      await land(store, { appends: [append('run_a', 0)], counters: [change(6, 10)] });
      const refused = { appends: [append('run_a', 1)], counters: [change(5, 10)], runs: [runRow('run_a')] };
      const error = await rejectionOf(land(store, refused));
      assert.equal(isCounterFull(error), true);
      assert.deepEqual((error as StoreConflict).details, { tenant: 'default', counter: 'tokens', max: 10, actual: 6 });
      assert.equal(await store.counter('default', 'tokens'), 6);
      assert.equal((await store.head('run_a'))?.seq, 1);
      assert.equal(await store.run('run_a'), undefined);
      await land(store, { appends: [append('run_a', 1)], counters: [change(4, 10)] });
      await land(store, { counters: [change(3)] });
      assert.equal(await store.counter('default', 'tokens'), 13);
    },
  ),
  check('changes of one commit are held to their bounds in order', async ({ store }) => {
    const change = (add: number, max?: number) => ({ tenant: 'default', key: 'tokens', add, ...(max && { max }) });
    assert.equal(isCounterFull(await rejectionOf(land(store, { counters: [change(6, 10), change(5, 10)] }))), true);
    assert.equal(isCounterFull(await rejectionOf(land(store, { counters: [change(11, 10), change(-5)] }))), true);
    assert.equal(await store.counter('default', 'tokens'), 0);
    await land(store, { counters: [change(6, 10), change(-5), change(9, 10)] });
    assert.equal(await store.counter('default', 'tokens'), 10);
  }),
  check('a bound is never passed by store objects that write at once', async ({ store, another }) => {
    const stores = [store, await another(), await another()];
    const one = { counters: [{ tenant: 'default', key: 'tokens', add: 2, max: 21 }] };
    const ends = await Promise.allSettled(
      Array.from({ length: 30 }, (_, index) => land(stores[index % 3] ?? store, one)),
    );
    assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 10);
    for (const each of stores) assert.equal(await each.counter('default', 'tokens'), 20);
  }),
];
