import assert from 'node:assert/strict';
import type { EventStore, RequestQuery, RequestRow } from '@signalbox/ports';
import { allPages, from, land, NOON, rejectsWith, requestRow } from './make.ts';
import { check, type StoreCheck } from './store-check.ts';

const FULL = requestRow('req_full', {
  tenant: 'north',
  runId: 'run_9',
  session: 'ses_1',
  kind: 'confirmation',
  title: '退款 🎉?',
  status: 'answered',
  assignees: ['user:zoe', 'role:finance', 'user:adam'],
  deadlineAt: NOON + 7_200_000,
});

async function idsOf(store: EventStore, query: Partial<RequestQuery> = {}): Promise<string[]> {
  return (await store.requests({ tenant: 'default', ...query })).rows.map(({ requestId }) => requestId);
}

async function pagedIds(store: EventStore, limit: number, query: Partial<RequestQuery> = {}): Promise<string[]> {
  const rows = await allPages(after => store.requests({ tenant: 'default', limit, ...query, ...from(after) }));
  return rows.map(({ requestId }) => requestId);
}

const numbered = (count: number, row: (index: number) => Partial<RequestRow>): RequestRow[] =>
  Array.from({ length: count }, (_, index) => requestRow(`req_${String(index).padStart(2, '0')}`, row(index)));

export const requestChecks: readonly StoreCheck[] = [
  check('a request row comes back as it was, its assignees in their order', async ({ store }) => {
    await land(store, { requests: [FULL, requestRow('req_bare')] });
    assert.deepEqual({ ...(await store.request('req_full')) }, FULL);
    assert.deepEqual({ ...(await store.request('req_bare')) }, requestRow('req_bare'));
    assert.deepEqual(
      (await store.requests({ tenant: 'north' })).rows.map(row => ({ ...row })),
      [FULL],
    );
  }),
  check('an unknown request is undefined', async ({ store }) => {
    assert.equal(await store.request('req_none'), undefined);
    assert.deepEqual(await store.requests({ tenant: 'default' }), { rows: [], next: undefined });
  }),
  check('a request row replaces the one before in every field', async ({ store }) => {
    await land(store, { requests: [FULL] });
    const cleared = requestRow('req_full', { tenant: 'north', openedAt: NOON + 1 });
    await land(store, { requests: [cleared] });
    assert.deepEqual({ ...(await store.request('req_full')) }, cleared);
    assert.equal((await store.requests({ tenant: 'north' })).rows.length, 1);
    assert.deepEqual(await idsOf(store, { tenant: 'north', runId: 'run_9' }), []);
  }),
  check('requests are listed oldest first', async ({ store }) => {
    await land(store, {
      requests: [
        requestRow('req_b', { openedAt: 2 }),
        requestRow('req_c', { openedAt: 3 }),
        requestRow('req_a', { openedAt: 1 }),
      ],
    });
    await land(store, { requests: [requestRow('req_d', { openedAt: 0 })] });
    assert.deepEqual(await idsOf(store), ['req_d', 'req_a', 'req_b', 'req_c']);
    assert.deepEqual(await idsOf(store, { status: 'open' }), ['req_d', 'req_a', 'req_b', 'req_c']);
  }),
  check('requests are found by each status', async ({ store }) => {
    const statuses = ['open', 'answered', 'expired', 'withdrawn', 'superseded'] as const;
    await land(store, {
      requests: statuses.map((status, index) => requestRow(`req_${status}`, { status, openedAt: index })),
    });
    for (const status of statuses) assert.deepEqual(await idsOf(store, { status }), [`req_${status}`]);
    assert.deepEqual(
      await idsOf(store),
      statuses.map(status => `req_${status}`),
    );
  }),
  check('requests are found by run and by session', async ({ store }) => {
    await land(store, {
      requests: [
        requestRow('req_a', { runId: 'run_1', session: 'ses_1', openedAt: 2 }),
        requestRow('req_b', { runId: 'run_1', openedAt: 1 }),
        requestRow('req_c', { runId: 'run_2', session: 'ses_1', openedAt: 0 }),
      ],
    });
    assert.deepEqual(await idsOf(store, { runId: 'run_1' }), ['req_b', 'req_a']);
    assert.deepEqual(await idsOf(store, { session: 'ses_1' }), ['req_c', 'req_a']);
    assert.deepEqual(await idsOf(store, { session: 'ses_1', runId: 'run_1' }), ['req_a']);
    assert.deepEqual(await idsOf(store, { runId: 'run_none' }), []);
    assert.deepEqual(await idsOf(store, { session: 'ses_none' }), []);
  }),
  check('an inbox holds what is assigned to any of the names, and to nobody', async ({ store }) => {
    const assignees = [['user:finn'], ['role:finance', 'user:zoe'], [], ['role:lead'], ['user:finn', 'role:finance']];
    await land(store, { requests: numbered(5, index => ({ assignees: assignees[index] ?? [], openedAt: index })) });
    assert.deepEqual(await idsOf(store, { assignees: ['user:finn'] }), ['req_00', 'req_02', 'req_04']);
    assert.deepEqual(await idsOf(store, { assignees: ['role:finance'], status: 'open' }), [
      'req_01',
      'req_02',
      'req_04',
    ]);
    assert.deepEqual(await idsOf(store, { assignees: ['role:lead', 'user:zoe', 'unheard'] }), [
      'req_01',
      'req_02',
      'req_03',
    ]);
  }),
  check('an inbox of no names holds what is assigned to nobody', async ({ store }) => {
    await land(store, { requests: [requestRow('req_a', { assignees: ['user:finn'] }), requestRow('req_b')] });
    assert.deepEqual(await idsOf(store, { assignees: [] }), ['req_b']);
  }),
  check('a request assigned twice to one inbox stands there once', async ({ store }) => {
    await land(store, { requests: [requestRow('req_a', { assignees: ['user:finn', 'role:finance', 'user:finn'] })] });
    assert.deepEqual(await idsOf(store, { assignees: ['user:finn', 'role:finance', 'user:finn'] }), ['req_a']);
  }),
  check('a name is matched whole', async ({ store }) => {
    await land(store, { requests: [requestRow('req_a', { assignees: ['user:finnegan', 'user:f%'] })] });
    assert.deepEqual(await idsOf(store, { assignees: ['user:finn'] }), []);
    assert.deepEqual(await idsOf(store, { assignees: ['user:f', '%', 'user:_innegan'] }), []);
  }),
  check('an answered request leaves the open list and every inbox', async ({ store }) => {
    const row = requestRow('req_a', { assignees: ['user:finn'] });
    await land(store, { requests: [row, requestRow('req_b')] });
    await land(store, { requests: [{ ...row, status: 'answered' }] });
    assert.deepEqual(await idsOf(store, { status: 'open' }), ['req_b']);
    assert.deepEqual(await idsOf(store, { status: 'open', assignees: ['user:finn'] }), ['req_b']);
    assert.deepEqual(await idsOf(store, { status: 'answered', assignees: ['user:finn'] }), ['req_a']);
  }),
  check('a reassigned request moves from one inbox to the other', async ({ store }) => {
    const row = requestRow('req_a', { assignees: ['user:finn'] });
    await land(store, { requests: [row] });
    await land(store, { requests: [{ ...row, assignees: ['role:lead'] }] });
    assert.deepEqual(await idsOf(store, { assignees: ['user:finn'] }), []);
    assert.deepEqual(await idsOf(store, { assignees: ['role:lead'] }), ['req_a']);
    await land(store, { requests: [{ ...row, assignees: [] }] });
    assert.deepEqual(await idsOf(store, { assignees: ['user:finn'] }), ['req_a']);
  }),
  check('all filters of requests hold together', async ({ store }) => {
    const row = { runId: 'run_1', session: 'ses_1', assignees: ['user:finn'] };
    await land(store, {
      requests: [
        requestRow('req_a', row),
        requestRow('req_b', { ...row, runId: 'run_2' }),
        requestRow('req_c', { ...row, session: null }),
        requestRow('req_d', { ...row, assignees: ['user:zoe'] }),
        requestRow('req_e', { ...row, status: 'expired' }),
        requestRow('req_f', { ...row, tenant: 'north' }),
      ],
    });
    assert.deepEqual(await idsOf(store, { ...row, status: 'open' }), ['req_a']);
  }),
  check('a tenant sees its own requests only', async ({ store }) => {
    const row = { runId: 'run_1', session: 'ses_1', assignees: ['user:finn'] };
    await land(store, {
      requests: [requestRow('req_n', { ...row, tenant: 'north' }), requestRow('req_s', { ...row, tenant: 'south' })],
    });
    for (const query of [
      {},
      { status: 'open' as const },
      { assignees: ['user:finn'] },
      { runId: 'run_1' },
      { session: 'ses_1' },
    ]) {
      assert.deepEqual(await idsOf(store, { ...query, tenant: 'north' }), ['req_n']);
    }
    assert.deepEqual(await idsOf(store, { tenant: 'west' }), []);
  }),
  check('pages of requests give each request once, in order, also among equal times', async ({ store }) => {
    const rows = numbered(23, index => ({
      openedAt: NOON + Math.floor(index / 5),
      runId: 'run_1',
      status: index % 3 === 0 ? 'answered' : 'open',
    }));
    await land(store, { requests: rows });
    const whole = await idsOf(store);
    assert.deepEqual(
      whole.toSorted(),
      rows.map(({ requestId }) => requestId),
    );
    for (const limit of [1, 4, 22, 23, 50]) {
      assert.deepEqual(await pagedIds(store, limit), whole);
      assert.deepEqual(await pagedIds(store, limit, { runId: 'run_1' }), whole);
    }
  }),
  check('pages of an inbox give each request once', async ({ store }) => {
    const assignees = [['user:finn'], ['role:finance'], [], ['user:zoe'], ['user:finn', 'role:finance']];
    await land(store, {
      requests: numbered(25, index => ({ openedAt: NOON + (index % 2), assignees: assignees[index % 5] ?? [] })),
    });
    const query = { status: 'open', assignees: ['user:finn', 'role:finance'] } as const;
    const whole = await idsOf(store, query);
    assert.equal(whole.length, 20);
    for (const limit of [1, 3, 20]) assert.deepEqual(await pagedIds(store, limit, query), whole);
  }),
  check('a request answered between two pages hides no other', async ({ store }) => {
    const rows = numbered(6, index => ({ openedAt: index, assignees: ['user:finn'] }));
    await land(store, { requests: rows });
    const query = { tenant: 'default', status: 'open', assignees: ['user:finn'], limit: 3 } as const;
    const first = await store.requests(query);
    await land(store, { requests: rows.slice(0, 3).map(row => ({ ...row, status: 'answered' as const })) });
    const second = await store.requests({ ...query, ...from(first.next) });
    assert.deepEqual(
      second.rows.map(({ requestId }) => requestId),
      ['req_03', 'req_04', 'req_05'],
    );
    assert.equal(second.next, undefined);
  }),
  check('a cursor that the list of requests did not give out is refused as InvalidCursor', async ({ store }) => {
    await land(store, { requests: [requestRow('req_a')] });
    await rejectsWith('InvalidCursor', store.requests({ tenant: 'default', after: 'yesterday' }));
  }),
];
