import assert from 'node:assert/strict';
import type { DueRun, EventStore } from '@signalbox/ports';
import { land, NOON, runRow } from './make.ts';
import { check, type StoreCheck } from './store-check.ts';

async function dueIds(store: EventStore, now: number, owner = 'me', limit = 100): Promise<string[]> {
  return (await store.due({ now, owner, limit })).map(({ runId }) => runId);
}

export const dueChecks: readonly StoreCheck[] = [
  check('a run is due at its time and after it, not before', async ({ store }) => {
    await land(store, { runs: [runRow('run_a', { dueAt: NOON })] });
    assert.deepEqual(await dueIds(store, NOON - 1), []);
    assert.deepEqual(await dueIds(store, NOON), ['run_a']);
    assert.deepEqual(await dueIds(store, NOON + 1_000_000), ['run_a']);
  }),
  check('a due run is told with its time and its owner', async ({ store }) => {
    await land(store, { runs: [runRow('run_a', { dueAt: 7, owner: 'me' }), runRow('run_b', { dueAt: 8 })] });
    const due = await store.due({ now: 9, owner: 'me', limit: 9 });
    assert.deepEqual(
      due.map(row => ({ ...row })),
      [
        { runId: 'run_a', dueAt: 7, owner: 'me' },
        { runId: 'run_b', dueAt: 8, owner: null },
      ],
    );
  }),
  check('all due runs are found page by page, also those of one time, and one alone by its id', async ({ store }) => {
    const ids = ['run_e', 'run_b', 'run_d', 'run_a', 'run_c'];
    const times = [3, 5, 5, 5, 9];
    await land(store, { runs: ids.map((id, index) => runRow(id, { dueAt: times[index]! })) });
    const found: DueRun[] = [];
    for (let after: DueRun | undefined; ; after = found.at(-1)) {
      const page = await store.due({ now: 9, owner: 'me', limit: 2, ...(after === undefined ? {} : { after }) });
      found.push(...page);
      if (page.length < 2) break;
    }
    assert.deepEqual(
      found.map(({ dueAt }) => dueAt),
      times,
    );
    assert.deepEqual(new Set(found.map(({ runId }) => runId)), new Set(ids));
    const alone = (runId: string, now: number) => store.due({ now, owner: 'me', limit: 9, runId });
    assert.deepEqual(
      (await alone('run_d', 5)).map(({ runId }) => runId),
      ['run_d'],
    );
    assert.deepEqual(await alone('run_d', 4), []);
    assert.deepEqual(await alone('run_x', 9), []);
  }),
  check('a run without a time is never due', async ({ store }) => {
    await land(store, { runs: [runRow('run_a')] });
    assert.deepEqual(await dueIds(store, Number.MAX_SAFE_INTEGER), []);
    assert.equal(await store.nextDue(0), undefined);
  }),
  check('due runs come earliest first, of all tenants, as many as asked for', async ({ store }) => {
    await land(store, {
      runs: [
        runRow('run_b', { dueAt: 20, tenant: 'north' }),
        runRow('run_c', { dueAt: 30 }),
        runRow('run_a', { dueAt: 10 }),
        runRow('run_d', { dueAt: 99 }),
      ],
    });
    assert.deepEqual(await dueIds(store, 50), ['run_a', 'run_b', 'run_c']);
    assert.deepEqual(await dueIds(store, 50, 'me', 2), ['run_a', 'run_b']);
  }),
  check('a new row moves and clears the time', async ({ store }) => {
    await land(store, { runs: [runRow('run_a', { dueAt: 10 })] });
    await land(store, { runs: [runRow('run_a', { dueAt: 100 })] });
    assert.deepEqual(await dueIds(store, 50), []);
    assert.equal(await store.nextDue(0), 100);
    await land(store, { runs: [runRow('run_a', { dueAt: null })] });
    assert.deepEqual(await dueIds(store, 500), []);
    assert.equal(await store.nextDue(0), undefined);
  }),
  check('a run whose owner holds a live lease is due to that owner alone', async ({ store }) => {
    await land(store, { runs: [runRow('run_a', { dueAt: 10, owner: 'host-1' }), runRow('run_b', { dueAt: 11 })] });
    await store.lease('host-1', 100);
    assert.deepEqual(await dueIds(store, 50, 'host-2'), ['run_b']);
    assert.deepEqual(await dueIds(store, 50, 'host-1'), ['run_a', 'run_b']);
  }),
  check('runs of a living owner do not use up the limit', async ({ store }) => {
    const held = Array.from({ length: 5 }, (_, index) => runRow(`run_${index}`, { dueAt: 1, owner: 'host-1' }));
    await land(store, { runs: [...held, runRow('run_free', { dueAt: 2 })] });
    await store.lease('host-1', 100);
    assert.deepEqual(await dueIds(store, 50, 'host-2', 2), ['run_free']);
  }),
  check('a lease ends at its time', async ({ store }) => {
    await land(store, { runs: [runRow('run_a', { dueAt: 10, owner: 'host-1' })] });
    await store.lease('host-1', 100);
    assert.deepEqual(await dueIds(store, 99, 'host-2'), []);
    assert.deepEqual(await dueIds(store, 100, 'host-2'), ['run_a']);
  }),
  check('a lease can be prolonged, and released with 0', async ({ store }) => {
    await land(store, { runs: [runRow('run_a', { dueAt: 10, owner: 'host-1' })] });
    await store.lease('host-1', 100);
    await store.lease('host-1', 200);
    assert.deepEqual(await dueIds(store, 150, 'host-2'), []);
    await store.lease('host-1', 0);
    assert.deepEqual(await dueIds(store, 150, 'host-2'), ['run_a']);
  }),
  check('a run whose owner never held a lease is due to everybody', async ({ store }) => {
    await land(store, { runs: [runRow('run_a', { dueAt: 10, owner: 'host-1' })] });
    assert.deepEqual(await dueIds(store, 50, 'host-2'), ['run_a']);
  }),
  check('a lease of one owner holds nothing of another', async ({ store }) => {
    await land(store, {
      runs: [runRow('run_a', { dueAt: 10, owner: 'host-1' }), runRow('run_b', { dueAt: 11, owner: 'host-2' })],
    });
    await store.lease('host-2', 100);
    await store.lease('host-3', 100);
    await store.lease('host-3', 0);
    assert.deepEqual(await dueIds(store, 50, 'me'), ['run_a']);
  }),
  check('leases are seen by every store object', async ({ store, another }) => {
    const other = await another();
    await land(store, { runs: [runRow('run_a', { dueAt: 10, owner: 'host-1' })] });
    await store.lease('host-1', 100);
    assert.deepEqual(await dueIds(other, 50, 'host-2'), []);
    await other.lease('host-1', 0);
    assert.deepEqual(await dueIds(store, 50, 'host-2'), ['run_a']);
  }),
  check('the next due time is the earliest that is still to come', async ({ store }) => {
    await land(store, {
      runs: [
        runRow('run_a', { dueAt: 10 }),
        runRow('run_b', { dueAt: 30 }),
        runRow('run_c', { dueAt: 20, owner: 'host-1' }),
      ],
    });
    assert.equal(await store.nextDue(0), 10);
    assert.equal(await store.nextDue(10), 20);
    assert.equal(await store.nextDue(30), undefined);
  }),
  check('times years ahead are kept to the millisecond', async ({ store }) => {
    const dueAt = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
    await land(store, { runs: [runRow('run_a', { dueAt })] });
    assert.equal(await store.nextDue(NOON), dueAt);
    assert.deepEqual(await dueIds(store, dueAt - 1), []);
    assert.deepEqual(await dueIds(store, dueAt), ['run_a']);
  }),
];
