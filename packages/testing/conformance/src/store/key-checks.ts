import assert from 'node:assert/strict';
import { append, conflictOf, fill, land, winnersOf } from './make.ts';
import { check, type StoreCheck } from './store-check.ts';

const command = (stream: string, id: string, outcome = '{"ok":true}') => ({ stream, id, outcome });
const startKey = (tenant: string, key: string, runId = 'run_a', digest = 'd1') => ({ tenant, key, runId, digest });

export const commandChecks: readonly StoreCheck[] = [
  check('the outcome of a command is kept with its id', async ({ store }) => {
    await land(store, {
      appends: [append('run_a', 0)],
      commands: [command('run_a', 'cmd_1', '审批 "ok"'), command('run_a', 'cmd_2', '')],
    });
    assert.equal(await store.commandOutcome('run_a', 'cmd_1'), '审批 "ok"');
    assert.equal(await store.commandOutcome('run_a', 'cmd_2'), '');
  }),
  check('an unknown command has no outcome', async ({ store }) => {
    await land(store, { commands: [command('run_a', 'cmd_1')] });
    assert.equal(await store.commandOutcome('run_a', 'cmd_9'), undefined);
    assert.equal(await store.commandOutcome('run_b', 'cmd_1'), undefined);
  }),
  check('a command id is taken once in its stream, and the first outcome stays', async ({ store }) => {
    await land(store, { appends: [append('run_a', 0)], commands: [command('run_a', 'cmd_1', 'first')] });
    const { details } = await conflictOf(
      land(store, { appends: [append('run_a', 1)], commands: [command('run_a', 'cmd_1', 'second')] }),
    );
    assert.equal(details.commandId, 'cmd_1');
    assert.equal(await store.commandOutcome('run_a', 'cmd_1'), 'first');
    assert.equal((await store.head('run_a'))?.seq, 1);
  }),
  check('a command id taken with the same outcome is a conflict all the same', async ({ store }) => {
    await land(store, { commands: [command('run_a', 'cmd_1')] });
    await conflictOf(land(store, { commands: [command('run_a', 'cmd_1')] }));
  }),
  check('a command id twice in one batch is a conflict', async ({ store }) => {
    await conflictOf(
      land(store, { appends: [append('run_a', 0)], commands: [command('run_a', 'c'), command('run_a', 'c')] }),
    );
    assert.equal(await store.head('run_a'), undefined);
  }),
  check('streams have command ids of their own', async ({ store }) => {
    await land(store, { commands: [command('run_a', 'cmd_1', 'a')] });
    await land(store, { commands: [command('run_b', 'cmd_1', 'b')] });
    assert.equal(await store.commandOutcome('run_a', 'cmd_1'), 'a');
    assert.equal(await store.commandOutcome('run_b', 'cmd_1'), 'b');
  }),
  check('stream and command id are not glued together', async ({ store }) => {
    await land(store, { commands: [command('run:a', 'b', '1')] });
    await land(store, { commands: [command('run', 'a:b', '2')] });
    await land(store, { commands: [command('run:a:b', '', '3')] });
    assert.equal(await store.commandOutcome('run:a', 'b'), '1');
    assert.equal(await store.commandOutcome('run', 'a:b'), '2');
  }),
  check('of one command delivered five times at once exactly one lands', async ({ store, another }) => {
    const stores = [store, await another()];
    const deliveries = Array.from({ length: 5 }, (_, index) => stores[index % 2] ?? store);
    const winners = await winnersOf(
      deliveries.map((one, index) =>
        land(one, { appends: [append(`run_${index}`, 0)], commands: [command('run_a', 'cmd_1')] }),
      ),
    );
    assert.equal(winners.length, 1);
    assert.equal((await store.feed({})).commits.length, 1);
  }),
  check('a command id stays taken for the life of its stream', async ({ store, another }) => {
    await land(store, { appends: [append('run_a', 0)], commands: [command('run_a', 'cmd_1')] });
    await fill(store, 'run_a', 300, 1);
    for (const one of [store, await another()]) {
      await conflictOf(land(one, { appends: [append('run_a', 301)], commands: [command('run_a', 'cmd_1')] }));
    }
  }),
];

export const startKeyChecks: readonly StoreCheck[] = [
  check('a start key is kept with its run and digest', async ({ store }) => {
    await land(store, { appends: [append('run_a', 0)], startKey: startKey('default', 'mail-881') });
    assert.deepEqual({ ...(await store.startKey('default', 'mail-881')) }, { runId: 'run_a', digest: 'd1' });
  }),
  check('an unknown start key is undefined', async ({ store }) => {
    await land(store, { startKey: startKey('default', 'mail-881') });
    assert.equal(await store.startKey('default', 'mail-88'), undefined);
    assert.equal(await store.startKey('other', 'mail-881'), undefined);
  }),
  check('a start key is taken once in its tenant, also with the same digest', async ({ store }) => {
    await land(store, { startKey: startKey('default', 'mail-881') });
    const same = await conflictOf(land(store, { startKey: startKey('default', 'mail-881') }));
    assert.equal(same.details.startKey, 'mail-881');
    await conflictOf(land(store, { startKey: startKey('default', 'mail-881', 'run_b', 'd2') }));
    assert.deepEqual({ ...(await store.startKey('default', 'mail-881')) }, { runId: 'run_a', digest: 'd1' });
  }),
  check('tenants have start keys of their own', async ({ store }) => {
    await land(store, { startKey: startKey('north', 'k', 'run_n') });
    await land(store, { startKey: startKey('south', 'k', 'run_s') });
    assert.equal((await store.startKey('north', 'k'))?.runId, 'run_n');
    assert.equal((await store.startKey('south', 'k'))?.runId, 'run_s');
  }),
  check('tenant and start key are not glued together', async ({ store }) => {
    await land(store, { startKey: startKey('a:b', 'c', 'run_1') });
    await land(store, { startKey: startKey('a', 'b:c', 'run_2') });
    assert.equal((await store.startKey('a:b', 'c'))?.runId, 'run_1');
    assert.equal((await store.startKey('a', 'b:c'))?.runId, 'run_2');
  }),
  check('of six starts under one key at once exactly one lands', async ({ store, another }) => {
    const stores = [store, await another()];
    const starts = Array.from({ length: 6 }, (_, index) =>
      land(stores[index % 2] ?? store, {
        appends: [append(`run_${index}`, 0)],
        startKey: startKey('default', 'k', `run_${index}`),
      }),
    );
    const [winner, ...others] = await winnersOf(starts);
    assert.deepEqual(others, []);
    assert.equal((await store.startKey('default', 'k'))?.runId, `run_${winner}`);
    assert.equal((await store.feed({})).commits.length, 1);
  }),
];
