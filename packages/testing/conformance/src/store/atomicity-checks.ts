import assert from 'node:assert/strict';
import type { CommitBatch, EventStore } from '@signalbox/ports';
import { append, conflictOf, fill, land, nameOf, requestRow, runRow } from './make.ts';
import { check, type StoreCheck } from './store-check.ts';

/** Something of everything that a batch can hold. */
const EVERYTHING: Omit<CommitBatch, 'appends'> = {
  commands: [{ stream: 'run_new', id: 'cmd_1', outcome: '{}' }],
  startKey: { tenant: 'default', key: 'mail-881', runId: 'run_new', digest: 'd1' },
  runs: [runRow('run_new', { dueAt: 5 })],
  requests: [requestRow('req_1', { runId: 'run_new', assignees: ['user:finn'] })],
  counters: [{ tenant: 'default', key: 'runs', add: 3 }],
  payloads: [{ tenant: 'default', digest: 'p1', text: 'secret' }],
  erasures: [{ tenant: 'default', digest: 'p0' }],
  documents: [{ kind: 'graph', name: 'desk', hash: 'h1', createdAt: 1, text: '{}' }],
  labels: [{ tenant: 'default', kind: 'graph', name: 'desk', label: 'active', hash: 'h1' }],
};

/** Each part of {@link EVERYTHING} that is there. */
async function traces(store: EventStore): Promise<string[]> {
  const found: readonly (readonly [string, unknown])[] = [
    ['stream', await store.head('run_new')],
    ['command', await store.commandOutcome('run_new', 'cmd_1')],
    ['start key', await store.startKey('default', 'mail-881')],
    ['run', await store.run('run_new')],
    ['run list', (await store.runs({ tenant: 'default' })).rows[0]],
    ['due', (await store.due({ now: 10, owner: 'me', limit: 5 }))[0]],
    ['request', await store.request('req_1')],
    ['inbox', (await store.requests({ tenant: 'default', status: 'open', assignees: ['user:finn'] })).rows[0]],
    ['counter', (await store.counter('default', 'runs')) || undefined],
    ['payload', await store.payload('default', 'p1')],
    ['erasure', (await store.payloadErased('default', 'p0')) || undefined],
    ['document', await store.document('graph', 'h1')],
    ['document list', (await store.documents('graph'))[0]],
    ['label', await store.label('default', 'graph', 'desk', 'active')],
  ];
  return found.flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

const ALL_TRACES = 14;

/** `other` is one more append, ahead of the one to the new stream or behind it. */
async function leavesNothing(store: EventStore, batch: CommitBatch): Promise<void> {
  const before = (await store.feed({})).commits.map(nameOf);
  await conflictOf(store.commit(batch, { sync: false }));
  assert.deepEqual(await traces(store), []);
  assert.deepEqual((await store.feed({})).commits.map(nameOf), before);
}

export const atomicityChecks: readonly StoreCheck[] = [
  check('a batch lands with everything in it', async ({ store }) => {
    await land(store, { ...EVERYTHING, appends: [append('run_new', 0)] });
    assert.equal((await traces(store)).length, ALL_TRACES);
  }),
  check('a batch without appends lands with everything in it', async ({ store }) => {
    await land(store, EVERYTHING);
    assert.equal((await traces(store)).length, ALL_TRACES - 1);
  }),
  check('a conflict of the last append leaves nothing of the batch', async ({ store }) => {
    await fill(store, 'run_old', 2);
    await leavesNothing(store, { ...EVERYTHING, appends: [append('run_new', 0), append('run_old', 1)] });
  }),
  check('a conflict of the first append leaves nothing of the batch', async ({ store }) => {
    await fill(store, 'run_old', 2);
    await leavesNothing(store, { ...EVERYTHING, appends: [append('run_old', 3), append('run_new', 0)] });
  }),
  check('a command id that is taken leaves nothing of the batch', async ({ store }) => {
    await land(store, { commands: [{ stream: 'run_old', id: 'cmd_0', outcome: '1' }] });
    const commands = [...(EVERYTHING.commands ?? []), { stream: 'run_old', id: 'cmd_0', outcome: '2' }];
    await leavesNothing(store, { ...EVERYTHING, commands, appends: [append('run_new', 0)] });
  }),
  check('a start key that is taken leaves nothing of the batch', async ({ store }) => {
    await land(store, { startKey: { tenant: 'default', key: 'taken', runId: 'run_old', digest: 'd0' } });
    const startKey = { tenant: 'default', key: 'taken', runId: 'run_new', digest: 'd1' };
    await leavesNothing(store, { ...EVERYTHING, startKey, appends: [append('run_new', 0)] });
  }),
  check('a conflict among many commits at once leaves nothing of its batch', async ({ store }) => {
    await fill(store, 'run_old', 2);
    const others = Array.from({ length: 20 }, (_, index) => land(store, { appends: [append(`run_${index}`, 0)] }));
    const refused = land(store, { ...EVERYTHING, appends: [append('run_new', 0), append('run_old', 0)] });
    const more = Array.from({ length: 20 }, (_, index) => land(store, { appends: [append(`run_${index}`, 1)] }));
    await Promise.all([...others, conflictOf(refused), ...more]);
    assert.deepEqual(await traces(store), []);
  }),
  check('what a refused batch named can be used afterwards', async ({ store }) => {
    await conflictOf(land(store, { ...EVERYTHING, appends: [append('run_new', 4)] }));
    await land(store, { ...EVERYTHING, appends: [append('run_new', 0)] });
    assert.equal((await traces(store)).length, ALL_TRACES);
    assert.equal(await store.counter('default', 'runs'), 3);
  }),
  check('no other store object sees half a batch', async ({ store, another }) => {
    const other = await another();
    let writing = true;
    const watch = async () => {
      while (writing) {
        const updatedAt = (await other.run('run_a'))?.updatedAt ?? 0;
        const seq = (await other.head('run_b'))?.seq ?? 0;
        assert.ok(seq >= updatedAt, `the row says ${updatedAt}, the stream read after it ${seq}`);
        await new Promise(resolve => setImmediate(resolve));
      }
    };
    const watching = watch();
    for (let seq = 0; seq < 40; seq += 1) {
      await land(store, {
        appends: [append('run_a', seq), append('run_b', seq)],
        runs: [runRow('run_a', { updatedAt: seq + 1 })],
      });
    }
    writing = false;
    await watching;
  }),
];
