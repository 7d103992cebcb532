import { commitTime } from '@signalbox/kernel';
import { createMemoryStore } from '@signalbox/store-memory';
import { describe, expect, it } from 'vitest';
import { readCommits } from './commits.ts';
import { seqAt } from './instants.ts';
import { replay, stateAt } from './state-at.ts';
import { buildLog, NINE } from './testing/build-log.ts';
import { LOOP } from './testing/graphs.ts';
import { trail } from './trail.ts';

async function longRun(steps: number) {
  const store = createMemoryStore({ chain: true });
  const log = buildLog(LOOP, {});
  for (let index = 0; index < steps; index += 1) log.wait(999).succeed('poll', 'again', [{ seen: [index] }]);
  log.succeed('poll', 'stop');
  for (const append of log.appends) await store.commit({ appends: [append] }, { sync: false });
  return { store, log };
}

describe('a run at an earlier moment', () => {
  it('is found by sequence number and by time, and both agree with the fold of every prefix', async () => {
    const { store, log } = await longRun(40);
    let seen = 0;
    for (const commit of log.commits) {
      const last = commit.firstSeq + commit.events.length - 1;
      seen += commit.events.filter(event => event.type === 'state.changed').length;
      const bySeq = await stateAt(store, 'run_1', last);
      expect(bySeq).toMatchObject({
        seq: last,
        at: commit.at,
        state: { seen: Array.from({ length: seen }, (_, n) => n) },
      });
      expect(await stateAt(store, 'run_1', commit.at)).toEqual(bySeq);
      expect(await seqAt(store, 'run_1', commitTime(Date.parse(commit.at) - 1)).catch(() => 0)).toBe(
        commit.firstSeq - 1,
      );
    }
    expect(await stateAt(store, 'run_1')).toMatchObject({ status: 'completed' });
    expect(await stateAt(store, 'run_1', '2030-01-01')).toMatchObject({ status: 'completed' });
  });

  it('can lie inside a commit', async () => {
    const { store } = await longRun(1);
    expect(await replay(store, 'run_1', '1')).toMatchObject({ seq: 1, term: 0 });
    expect(await replay(store, 'run_1', 2)).toMatchObject({ seq: 2, term: 1 });
  });

  it('is refused where the run has nothing', async () => {
    const { store } = await longRun(1);
    for (const point of [0, 1.5, 10_000, commitTime(NINE - 1)])
      await expect(stateAt(store, 'run_1', point)).rejects.toMatchObject({ code: 'UnknownPoint' });
    await expect(stateAt(store, 'run_1', 'tomorrow')).rejects.toMatchObject({ code: 'InvalidInstant' });
    await expect(stateAt(store, 'run_2', 1)).rejects.toMatchObject({ code: 'UnknownRun' });
    await expect(stateAt(store, 'run_2')).rejects.toMatchObject({ code: 'UnknownRun' });
  });

  it('is read by pages, so views see a history longer than one', async () => {
    const { store, log } = await longRun(1_200);
    expect(await trail(readCommits(store, 'run_1'))).toBe(await trail(log.commits));
  });
});
