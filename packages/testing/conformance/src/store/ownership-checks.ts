import assert from 'node:assert/strict';
import { append, assertAllStored, fill, land, requestRow, runRow } from './make.ts';
import { check, type StoreCheck } from './store-check.ts';

/** What a caller that does not mind `readonly` could do. */
function spoil(target: unknown): void {
  const bag = target as Record<string, unknown>;
  for (const key of Object.keys(bag)) {
    const value = bag[key];
    if (Array.isArray(value)) value.push('spoilt');
    else bag[key] = 'spoilt';
  }
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) frozen(inner);
    Object.freeze(value);
  }
  return value;
}

export const ownershipChecks: readonly StoreCheck[] = [
  check('what is handed in is not changed', async ({ store }) => {
    const batch = {
      appends: [append('run_a', 0)],
      commands: [{ stream: 'run_a', id: 'c', outcome: '' }],
      startKey: { tenant: 'default', key: 'k', runId: 'run_a', digest: 'd' },
      runs: [runRow('run_a')],
      requests: [requestRow('req_a', { assignees: ['user:zoe', 'user:adam'] })],
      counters: [{ tenant: 'default', key: 'k', add: 1 }],
      payloads: [{ tenant: 'default', digest: 'p', text: 't' }],
      erasures: [{ tenant: 'default', digest: 'q' }],
      documents: [{ kind: 'graph', name: 'n', hash: 'h', createdAt: 1, text: '' }],
      labels: [{ tenant: 'default', kind: 'graph', name: 'n', label: 'l', hash: 'h' }],
    };
    const { appends, ...rest } = batch;
    frozen(rest);
    Object.freeze(appends);
    frozen(appends[0]?.commit);
    await land(store, Object.freeze(batch));
    await store.saveSnapshot(frozen({ stream: 'run_a', seq: 1, format: 1, body: '' }), frozen([{ id: 'c', text: '' }]));
    const query = frozen({ tenant: 'default', assignees: ['user:zoe', 'user:adam'], status: 'open' as const });
    assert.equal((await store.requests(query)).rows.length, 1);
    const list = frozen({ tenant: 'default', status: ['running', 'failed'] });
    assert.equal((await store.runs(list)).rows.length, 1);
  }),
  check('rows handed in can be changed afterwards without harm', async ({ store }) => {
    const [run, request] = [runRow('run_a'), requestRow('req_a', { assignees: ['user:zoe'] })];
    const [expectedRun, expectedRequest] = [structuredClone(run), structuredClone(request)];
    await land(store, { runs: [run], requests: [request] });
    spoil(run);
    spoil(request);
    assert.deepEqual({ ...(await store.run('run_a')) }, expectedRun);
    assert.deepEqual({ ...(await store.request('req_a')) }, expectedRequest);
  }),
  check('rows handed out are the caller’s own', async ({ store }) => {
    const [run, request] = [runRow('run_a', { dueAt: 1 }), requestRow('req_a', { assignees: ['user:zoe'] })];
    await land(store, { runs: [run], requests: [request] });
    for (const row of [await store.run('run_a'), ...(await store.runs({ tenant: 'default' })).rows]) spoil(row);
    for (const row of [await store.request('req_a'), ...(await store.requests({ tenant: 'default' })).rows]) spoil(row);
    for (const row of await store.due({ now: 9, owner: 'me', limit: 9 })) spoil(row);
    assert.deepEqual({ ...(await store.run('run_a')) }, run);
    assert.deepEqual({ ...(await store.request('req_a')) }, request);
    assert.equal((await store.due({ now: 9, owner: 'me', limit: 9 }))[0]?.runId, 'run_a');
  }),
  check('lists handed out are the caller’s own', async ({ store }) => {
    const appended = await fill(store, 'run_a', 3);
    (await store.read('run_a')).length = 0;
    ((await store.feed({})).commits as unknown[]).length = 0;
    (await store.streams({})).length = 0;
    assertAllStored(store, await store.read('run_a'), appended);
    assertAllStored(store, (await store.feed({})).commits, appended);
    assert.deepEqual(await store.streams({}), ['run_a']);
  }),
  check('keys, snapshots, documents and labels handed out are the caller’s own', async ({ store }) => {
    await land(store, {
      startKey: { tenant: 'default', key: 'k', runId: 'run_a', digest: 'd' },
      documents: [{ kind: 'graph', name: 'n', hash: 'h', createdAt: 1, text: '' }],
      labels: [{ tenant: 'default', kind: 'graph', name: 'n', label: 'l', hash: 'h' }],
    });
    await store.saveSnapshot({ stream: 'run_a', seq: 1, format: 1, body: 'b' }, [{ id: 'c', text: 't' }]);
    spoil(await store.startKey('default', 'k'));
    spoil(await store.snapshot('run_a'));
    for (const row of await store.chunks('run_a', ['c'])) spoil(row);
    for (const row of [...(await store.documents('graph')), ...(await store.labels('default', 'graph'))]) spoil(row);
    assert.equal((await store.startKey('default', 'k'))?.digest, 'd');
    assert.equal((await store.snapshot('run_a'))?.body, 'b');
    assert.equal((await store.chunks('run_a', ['c']))[0]?.text, 't');
    assert.equal((await store.documents('graph'))[0]?.hash, 'h');
    assert.equal((await store.labels('default', 'graph'))[0]?.hash, 'h');
  }),
];
