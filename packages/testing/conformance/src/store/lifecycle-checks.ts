import assert from 'node:assert/strict';
import type { EventStore } from '@signalbox/ports';
import { holdsWithin } from '../check.ts';
import { append, assertAllStored, conflictOf, fill, land, nameOf, rejectsWith, requestRow, runRow } from './make.ts';
import { check, checkFor, type StoreCheck } from './store-check.ts';

/** Every call of the port that gives a promise. */
const CALLS: Readonly<Record<string, (store: EventStore) => Promise<unknown>>> = {
  commit: store => land(store, { appends: [append('run_z', 0)] }),
  read: store => store.read('run_a'),
  head: store => store.head('run_a'),
  feed: store => store.feed({}),
  feedEnd: store => store.feedEnd(),
  streams: store => store.streams({}),
  commandOutcome: store => store.commandOutcome('run_a', 'c'),
  startKey: store => store.startKey('default', 'k'),
  runs: store => store.runs({ tenant: 'default' }),
  run: store => store.run('run_a'),
  requests: store => store.requests({ tenant: 'default' }),
  request: store => store.request('req_a'),
  due: store => store.due({ now: 1, owner: 'me', limit: 1 }),
  nextDue: store => store.nextDue(1),
  lease: store => store.lease('me', 1),
  snapshot: store => store.snapshot('run_a'),
  saveSnapshot: store => store.saveSnapshot({ stream: 'run_a', seq: 1, format: 1, body: '' }, []),
  chunks: store => store.chunks('run_a', ['c']),
  snapshotSeqs: store => store.snapshotSeqs('run_a'),
  dropSnapshots: store => store.dropSnapshots('run_a'),
  payload: store => store.payload('default', 'p'),
  payloadErased: store => store.payloadErased('default', 'p'),
  document: store => store.document('graph', 'h'),
  documents: store => store.documents('graph'),
  label: store => store.label('default', 'graph', 'n', 'l'),
  labels: store => store.labels('default', 'graph'),
  counter: store => store.counter('default', 'k'),
  inspect: store => store.inspect(),
};

const SOON = 2000;

export const lifecycleChecks: readonly StoreCheck[] = [
  check('what one store object committed another one reads at once', async ({ store, another }) => {
    const other = await another();
    for (let seq = 0; seq < 5; seq += 1) {
      const appended = await fill(seq % 2 === 0 ? store : other, 'run_a', 1, seq);
      assertAllStored(store, await (seq % 2 === 0 ? other : store).read('run_a', { fromSeq: seq + 1 }), appended);
    }
    await land(store, {
      runs: [runRow('run_a', { tenant: 'new-word' })],
      requests: [requestRow('req_a', { assignees: ['user:new'] })],
    });
    assert.equal((await other.run('run_a'))?.tenant, 'new-word');
    assert.equal((await other.requests({ tenant: 'default', assignees: ['user:new'] })).rows.length, 1);
  }),
  check('rows, keys and content that another store object replaced are read anew', async ({ store, another }) => {
    const other = await another();
    for (let round = 1; round <= 3; round += 1) {
      const hash = `h${round}`;
      const writer = round % 2 === 0 ? store : other;
      await land(writer, {
        runs: [runRow('run_a', { updatedAt: round })],
        requests: [requestRow('req_a', { title: hash })],
        labels: [{ tenant: 'default', kind: 'graph', name: 'n', label: 'l', hash }],
      });
      await writer.saveSnapshot({ stream: 'run_a', seq: round, format: 1, body: hash }, []);
      for (const one of [store, other]) {
        assert.equal((await one.run('run_a'))?.updatedAt, round);
        assert.equal((await one.request('req_a'))?.title, hash);
        assert.equal(await one.label('default', 'graph', 'n', 'l'), hash);
        assert.equal((await one.snapshot('run_a'))?.body, hash);
      }
    }
  }),
  check(
    'names that one store object brings in are known to the other, also after a refusal',
    async ({ store, another }) => {
      const other = await another();
      for (let round = 0; round < 4; round += 1) {
        const [writer, reader] = round % 2 === 0 ? [store, other] : [other, store];
        const row = runRow(`run_${round}`, {
          tenant: `t${round}`,
          graph: `g${round}`,
          status: `s${round}`,
          owner: `o${round}`,
          session: `ses_${round}`,
        });
        await conflictOf(
          land(writer, {
            runs: [row],
            commands: [
              { stream: 'x', id: 'y', outcome: '' },
              { stream: 'x', id: 'y', outcome: '' },
            ],
          }),
        );
        await land(reader, { runs: [row] });
        await land(writer, { runs: [{ ...row, reason: `r${round}` }] });
        for (const one of [store, other])
          assert.deepEqual({ ...(await one.run(row.runId)) }, { ...row, reason: `r${round}` });
      }
    },
  ),
  check('a commit of another store object is told soon, one’s own is not', async ({ store, another }) => {
    const other = await another();
    let told = 0;
    const stop = store.onForeignCommit(() => {
      told += 1;
    });
    await fill(store, 'run_a', 3);
    await new Promise(resolve => setTimeout(resolve, 60));
    assert.equal(told, 0);
    await fill(other, 'run_b', 1);
    assert.ok(await holdsWithin(SOON, () => told > 0), 'nobody was told');
    stop();
  }),
  check('foreign commits are told again and again, also between own ones', async ({ store, another }) => {
    const other = await another();
    let told = 0;
    const stop = store.onForeignCommit(() => {
      told += 1;
    });
    for (let seq = 0; seq < 3; seq += 1) {
      const before = told;
      await fill(other, 'run_b', 1, seq);
      await fill(store, 'run_a', 1, seq);
      assert.ok(await holdsWithin(SOON, () => told > before), `commit ${seq + 1} was not told`);
    }
    stop();
  }),
  check('who has stopped listening is told no more', async ({ store, another }) => {
    const other = await another();
    let told = 0;
    let toldOther = 0;
    const stop = store.onForeignCommit(() => {
      told += 1;
    });
    const stopOther = store.onForeignCommit(() => {
      toldOther += 1;
    });
    stop();
    await fill(other, 'run_b', 1);
    assert.ok(await holdsWithin(SOON, () => toldOther > 0), 'the other listener was not told');
    assert.equal(told, 0);
    stopOther();
  }),
  check('a good store finds itself good', async ({ store }) => {
    await fill(store, 'run_a', 3);
    const { ok, problems, facts } = await store.inspect();
    assert.deepEqual([ok, problems], [true, []]);
    assert.ok(Object.keys(facts).length > 0);
  }),
  check('after closing every call rejects with StoreClosed', async ({ store }) => {
    await fill(store, 'run_a', 1);
    await store.close();
    for (const [name, call] of Object.entries(CALLS)) {
      await rejectsWith('StoreClosed', call(store)).catch(cause => assert.fail(`${name}: ${cause}`));
    }
  }),
  check('closing twice is closing once', async ({ store }) => {
    await Promise.all([store.close(), store.close()]);
    await store.close();
  }),
  check('commits called before closing land, and closing waits for them', async ({ store, another }) => {
    const other = await another();
    const appended = Array.from({ length: 100 }, (_, index) => append('run_a', index));
    const landing = Promise.allSettled(appended.map(one => land(store, { appends: [one] })));
    await store.close();
    assertAllStored(other, await other.read('run_a'), appended);
    assert.ok((await landing).every(({ status }) => status === 'fulfilled'));
  }),
  check('closing one store object leaves the others open', async ({ store, another }) => {
    const other = await another();
    await fill(store, 'run_a', 2);
    await store.close();
    await fill(other, 'run_a', 2, 2);
    assert.equal((await other.head('run_a'))?.seq, 4);
  }),
  checkFor('durable', 'everything is there after closing and opening', async ({ store, another }) => {
    const appended = await fill(store, 'run_a', 30);
    const { cursor } = await store.feed({ limit: 10 });
    await land(store, {
      commands: [{ stream: 'run_a', id: 'cmd_1', outcome: 'done' }],
      startKey: { tenant: 'default', key: 'k', runId: 'run_a', digest: 'd' },
      runs: [runRow('run_a', { dueAt: 5, owner: 'host-1', session: 'ses_1' })],
      requests: [requestRow('req_a', { assignees: ['user:zoe'] })],
      counters: [{ tenant: 'default', key: 'tokens', add: 7 }],
      payloads: [
        { tenant: 'default', digest: 'p1', text: 'one' },
        { tenant: 'default', digest: 'p2', text: 'two' },
      ],
      erasures: [{ tenant: 'default', digest: 'p2' }],
      documents: [{ kind: 'graph', name: 'n', hash: 'h', createdAt: 1, text: 'graph' }],
      labels: [{ tenant: 'default', kind: 'graph', name: 'n', label: 'active', hash: 'h' }],
    });
    await store.saveSnapshot({ stream: 'run_a', seq: 20, format: 1, body: 'b' }, [{ id: 'c', text: 't' }]);
    await store.close();

    const reopened = await another();
    assertAllStored(reopened, await reopened.read('run_a'), appended);
    assert.deepEqual((await reopened.feed({ after: cursor })).commits.map(nameOf), appended.slice(10).map(nameOf));
    assert.equal(await reopened.commandOutcome('run_a', 'cmd_1'), 'done');
    await conflictOf(land(reopened, { commands: [{ stream: 'run_a', id: 'cmd_1', outcome: '' }] }));
    assert.equal((await reopened.startKey('default', 'k'))?.runId, 'run_a');
    assert.equal((await reopened.run('run_a'))?.session, 'ses_1');
    assert.deepEqual((await reopened.request('req_a'))?.assignees, ['user:zoe']);
    assert.equal((await reopened.due({ now: 9, owner: 'me', limit: 1 }))[0]?.runId, 'run_a');
    assert.equal(await reopened.counter('default', 'tokens'), 7);
    assert.equal(await reopened.payload('default', 'p1'), 'one');
    assert.equal(await reopened.payloadErased('default', 'p2'), true);
    assert.equal(await reopened.document('graph', 'h'), 'graph');
    assert.equal(await reopened.label('default', 'graph', 'n', 'active'), 'h');
    assert.equal((await reopened.snapshot('run_a'))?.seq, 20);
    await fill(reopened, 'run_a', 1, 30);
  }),
  checkFor('durable', 'a store opened many times goes on where it was', async ({ store, another }) => {
    await store.close();
    for (let round = 0; round < 5; round += 1) {
      const one = await another();
      assert.equal((await one.head('run_a'))?.seq ?? 0, round * 2);
      await fill(one, 'run_a', 2, round * 2);
      await one.close();
    }
    assert.equal((await (await another()).feed({})).commits.length, 10);
  }),
];
