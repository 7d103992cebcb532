import assert from 'node:assert/strict';
import type { EventStore, RunQuery, RunRow } from '@signalbox/ports';
import { allPages, from, land, NOON, rejectsWith, runRow } from './make.ts';
import { check, type StoreCheck } from './store-check.ts';

const FULL = runRow('run_full', {
  tenant: 'north',
  status: 'suspended',
  reason: 'question',
  session: 'ses_1',
  key: 'mail-881',
  updatedAt: NOON + 5,
  dueAt: NOON + 60_000,
  owner: 'host-1',
});

async function idsOf(store: EventStore, query: Partial<RunQuery> = {}): Promise<string[]> {
  return (await store.runs({ tenant: 'default', ...query })).rows.map(({ runId }) => runId);
}

async function pagedIds(store: EventStore, limit: number, query: Partial<RunQuery> = {}): Promise<string[]> {
  const rows = await allPages(after => store.runs({ tenant: 'default', limit, ...query, ...from(after) }));
  return rows.map(({ runId }) => runId);
}

const numbered = (count: number, row: (index: number) => Partial<RunRow>): RunRow[] =>
  Array.from({ length: count }, (_, index) => runRow(`run_${String(index).padStart(2, '0')}`, row(index)));

export const runChecks: readonly StoreCheck[] = [
  check('a run row comes back as it was, with all its fields and with nulls', async ({ store }) => {
    await land(store, { runs: [FULL, runRow('run_bare')] });
    assert.deepEqual({ ...(await store.run('run_full')) }, FULL);
    assert.deepEqual({ ...(await store.run('run_bare')) }, runRow('run_bare'));
    assert.deepEqual(
      (await store.runs({ tenant: 'north' })).rows.map(row => ({ ...row })),
      [FULL],
    );
  }),
  check('an unknown run is undefined', async ({ store }) => {
    assert.equal(await store.run('run_none'), undefined);
    assert.deepEqual(await store.runs({ tenant: 'default' }), { rows: [], next: undefined });
  }),
  check('a run row replaces the one before in every field', async ({ store }) => {
    await land(store, { runs: [FULL] });
    const cleared = runRow('run_full', {
      tenant: 'north',
      graph: 'other',
      version: 'v2',
      status: 'completed',
      updatedAt: NOON + 9,
    });
    await land(store, { runs: [cleared] });
    assert.deepEqual({ ...(await store.run('run_full')) }, cleared);
    assert.equal((await store.runs({ tenant: 'north' })).rows.length, 1);
  }),
  check('runs are listed newest first', async ({ store }) => {
    await land(store, {
      runs: [runRow('run_b', { createdAt: 2 }), runRow('run_c', { createdAt: 3 }), runRow('run_a', { createdAt: 1 })],
    });
    assert.deepEqual(await idsOf(store), ['run_c', 'run_b', 'run_a']);
    await land(store, { runs: [runRow('run_d', { createdAt: 0 })] });
    assert.deepEqual(await idsOf(store), ['run_c', 'run_b', 'run_a', 'run_d']);
  }),
  check('runs are found by any of several statuses', async ({ store }) => {
    const statuses = ['running', 'suspended', 'paused', 'completed'];
    await land(store, { runs: numbered(8, index => ({ status: statuses[index % 4] ?? '', createdAt: index })) });
    assert.deepEqual(await idsOf(store, { status: ['paused'] }), ['run_06', 'run_02']);
    assert.deepEqual(await idsOf(store, { status: ['completed', 'running'] }), [
      'run_07',
      'run_04',
      'run_03',
      'run_00',
    ]);
    assert.deepEqual(await idsOf(store, { status: ['running', 'running', 'unheard'] }), ['run_04', 'run_00']);
  }),
  check('no status finds no run', async ({ store }) => {
    await land(store, { runs: [runRow('run_a')] });
    assert.deepEqual(await idsOf(store, { status: [] }), []);
  }),
  check('a run is found under its present status only', async ({ store }) => {
    await land(store, { runs: [runRow('run_a')] });
    await land(store, { runs: [runRow('run_a', { status: 'suspended' })] });
    assert.deepEqual(await idsOf(store, { status: ['running'] }), []);
    assert.deepEqual(await idsOf(store, { status: ['suspended'] }), ['run_a']);
  }),
  check('runs are found by graph and by session', async ({ store }) => {
    await land(store, {
      runs: [
        runRow('run_a', { graph: 'desk', session: 'ses_1', createdAt: 1 }),
        runRow('run_b', { graph: 'desk', createdAt: 2 }),
        runRow('run_c', { graph: 'mail', session: 'ses_1', createdAt: 3 }),
      ],
    });
    assert.deepEqual(await idsOf(store, { graph: 'desk' }), ['run_b', 'run_a']);
    assert.deepEqual(await idsOf(store, { session: 'ses_1' }), ['run_c', 'run_a']);
    assert.deepEqual(await idsOf(store, { session: 'ses_1', graph: 'desk' }), ['run_a']);
    assert.deepEqual(await idsOf(store, { graph: 'none' }), []);
    assert.deepEqual(await idsOf(store, { session: 'none' }), []);
  }),
  check('all filters of runs hold together', async ({ store }) => {
    const row = { graph: 'desk', session: 'ses_1', status: 'paused' };
    await land(store, {
      runs: [
        runRow('run_a', row),
        runRow('run_b', { ...row, graph: 'mail' }),
        runRow('run_c', { ...row, session: 'ses_2' }),
        runRow('run_d', { ...row, status: 'running' }),
        runRow('run_e', { ...row, tenant: 'north' }),
      ],
    });
    assert.deepEqual(await idsOf(store, { graph: 'desk', session: 'ses_1', status: ['paused', 'failed'] }), ['run_a']);
  }),
  check('a tenant sees its own runs only', async ({ store }) => {
    await land(store, {
      runs: [
        runRow('run_n', { tenant: 'north', session: 'ses_1' }),
        runRow('run_s', { tenant: 'south', session: 'ses_1' }),
      ],
    });
    assert.deepEqual(await idsOf(store, { tenant: 'north' }), ['run_n']);
    assert.deepEqual(await idsOf(store, { tenant: 'south', status: ['running'] }), ['run_s']);
    assert.deepEqual(await idsOf(store, { tenant: 'south', session: 'ses_1' }), ['run_s']);
    assert.deepEqual(await idsOf(store, { tenant: 'west' }), []);
  }),
  check('pages of runs give each run once, in order, also among equal times', async ({ store }) => {
    const rows = numbered(23, index => ({ createdAt: NOON + Math.floor(index / 5) }));
    await land(store, { runs: rows });
    const whole = await idsOf(store);
    assert.deepEqual(
      whole.toSorted(),
      rows.map(({ runId }) => runId),
    );
    for (const limit of [1, 4, 22, 23, 50]) assert.deepEqual(await pagedIds(store, limit), whole);
  }),
  check('pages of filtered runs give each run once', async ({ store }) => {
    await land(store, {
      runs: numbered(20, index => ({
        createdAt: NOON,
        status: index % 2 === 0 ? 'running' : 'failed',
        session: 'ses_1',
        graph: index % 4 < 2 ? 'desk' : 'mail',
      })),
    });
    for (const query of [
      { status: ['running'] },
      { status: ['running', 'failed'] },
      { session: 'ses_1' },
      { graph: 'mail' },
    ]) {
      assert.deepEqual(await pagedIds(store, 3, query), await idsOf(store, query));
    }
  }),
  check('the last page of runs says so, also when it is full', async ({ store }) => {
    await land(store, { runs: numbered(4, index => ({ createdAt: index })) });
    assert.equal((await store.runs({ tenant: 'default', limit: 4 })).next, undefined);
    assert.notEqual((await store.runs({ tenant: 'default', limit: 3 })).next, undefined);
  }),
  check('runs that begin or change between two pages move no other run', async ({ store }) => {
    await land(store, { runs: numbered(6, index => ({ createdAt: index })) });
    const first = await store.runs({ tenant: 'default', limit: 3 });
    await land(store, {
      runs: [runRow('run_new', { createdAt: 99 }), runRow('run_05', { createdAt: 5, status: 'failed' })],
    });
    const second = await store.runs({ tenant: 'default', limit: 3, ...from(first.next) });
    assert.deepEqual(
      [...first.rows, ...second.rows].map(({ runId }) => runId),
      ['run_05', 'run_04', 'run_03', 'run_02', 'run_01', 'run_00'],
    );
  }),
  check('without a limit a page gives a hundred runs', async ({ store }) => {
    await land(store, {
      runs: Array.from({ length: 105 }, (_, index) => runRow(`run_${index}`, { createdAt: index })),
    });
    assert.equal((await store.runs({ tenant: 'default' })).rows.length, 100);
  }),
  check('a cursor that the list of runs did not give out is refused as InvalidCursor', async ({ store }) => {
    await land(store, { runs: [runRow('run_a')] });
    await rejectsWith('InvalidCursor', store.runs({ tenant: 'default', after: 'yesterday' }));
  }),
];
