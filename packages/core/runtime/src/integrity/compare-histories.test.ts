import type { Commit } from '@signalbox/kernel';
import { describe, expect, it } from 'vitest';
import { buildLog } from '../views/testing/build-log.ts';
import { DESK } from '../views/testing/graphs.ts';
import { compareHistories } from './compare-histories.ts';

function history(confidence: number, reply = 'done'): readonly Commit[] {
  const log = buildLog(DESK, { message: 'Hi' }).succeed('classify', { intent: 'faq', confidence });
  return log.succeed('faq', 1).succeed('reply', reply).commits;
}

describe('comparing two histories', () => {
  it('finds no difference in what was decided, whatever the times, actors, drivers and commits', async () => {
    const left = history(0.9);
    const events = left.flatMap(commit => commit.events).filter(event => event.type !== 'run.claimed');
    const right = [
      { ...left[0]!, at: '2027-01-01T00:00:00.000Z', actor: { kind: 'system' as const, id: 'x' }, events },
    ];
    expect(await compareHistories(left, right)).toBeUndefined();
    expect(await compareHistories(left, right, { ignore: new Set() })).toMatchObject({
      seq: 2,
      type: 'run.claimed',
      path: '/type',
    });
  });

  it('tells the first datum that differs, where it is and both sides', async () => {
    const difference = await compareHistories(history(0.9), history(0.8));
    expect(difference).toMatchObject({
      type: 'node.succeeded',
      path: '/data/output/confidence',
      left: 0.9,
      right: 0.8,
    });
    expect(difference!.text).toBe(`${difference!.seq} node.succeeded /data/output/confidence: 0.9 ≠ 0.8`);
  });

  it('tells a member that one side lacks, and escapes its name', async () => {
    const [first] = history(0.9);
    const withExtra = {
      ...first!,
      events: first!.events.with(0, { type: 'note.added', data: { text: 'x', 'a/b~c': null } }),
    };
    const without = { ...first!, events: first!.events.with(0, { type: 'note.added', data: { text: 'x' } }) };
    const difference = await compareHistories([withExtra], [without]);
    expect(difference).toMatchObject({
      path: '/data/a~1b~0c',
      left: null,
      text: '1 note.added /data/a~1b~0c: null ≠ nothing',
    });
    expect('right' in difference!).toBe(false);
  });

  it('tells another type, another version of the data, and a history that ends too early', async () => {
    const left = history(0.9);
    const other = left.with(-1, {
      ...left.at(-1)!,
      events: left.at(-1)!.events.with(-1, { type: 'run.failed', data: {} }),
    });
    expect(await compareHistories(left, other)).toMatchObject({
      path: '/type',
      left: 'run.completed',
      right: 'run.failed',
    });
    const newer = left.with(0, { ...left[0]!, events: left[0]!.events.with(0, { ...left[0]!.events[0]!, v: 2 }) });
    expect(await compareHistories(left, newer)).toMatchObject({ seq: 1, path: '/v', left: 1, right: 2 });
    const short = await compareHistories(left, left.slice(0, -1));
    expect(short).toMatchObject({ seq: left.at(-1)!.firstSeq, path: '', left: 'node.succeeded' });
    expect(short!.text).toContain('the right history has ended');
  });
});
