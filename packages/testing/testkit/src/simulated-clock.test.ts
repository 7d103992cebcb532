import { describe, expect, it } from 'vitest';
import { createSeededIds } from './seeded-ids.ts';
import { createSimulatedClock } from './simulated-clock.ts';

describe('a simulated clock', () => {
  it('fires timers in order of time, then of setting, each at its own time', async () => {
    const clock = createSimulatedClock({ start: 1_000 });
    const fired: string[] = [];
    const note = (name: string) => () => fired.push(`${name}@${clock.now()}`);
    clock.at(1_300, note('late'));
    clock.at(1_100, note('early'));
    clock.at(1_100, note('early too'));
    await clock.advance(200);
    expect(fired).toEqual(['early@1100', 'early too@1100']);
    expect(clock.now()).toBe(1_200);
    expect(clock.next).toBe(1_300);
  });

  it('lets everything that one timer sets going come to rest before the next', async () => {
    const clock = createSimulatedClock({ start: 0 });
    const seen: string[] = [];
    clock.at(10, async () => {
      for (let turn = 0; turn < 50; turn += 1) await new Promise<void>(resolve => clock.soon(resolve));
      seen.push('first at rest');
      clock.at(15, () => seen.push('set by the first'));
    });
    clock.at(20, () => seen.push('second'));
    await clock.advance('1s');
    expect(seen).toEqual(['first at rest', 'set by the first', 'second']);
  });

  it('fires by itself what is due already, and never what was cancelled', async () => {
    const clock = createSimulatedClock();
    const fired: string[] = [];
    clock.at(clock.now() - 5, () => fired.push('past'));
    clock.at(clock.now(), () => fired.push('cancelled'))();
    await new Promise(resolve => setImmediate(resolve));
    expect(fired).toEqual(['past']);
  });

  it('beats once for all the periods that a step skips, before what is due then', async () => {
    const clock = createSimulatedClock({ start: 0 });
    const seen: string[] = [];
    const stop = clock.every(10, () => seen.push(`beat@${clock.now()}`));
    clock.at(1_000, () => seen.push('timer'));
    await clock.advance('3650d');
    stop();
    await clock.advance('1s');
    expect(seen).toEqual(['beat@1000', 'timer', 'beat@315360000000']);
  });

  it('refuses a start that is no time and a way back', async () => {
    expect(() => createSimulatedClock({ start: 'tomorrow' })).toThrow(RangeError);
    await expect(createSimulatedClock().advance(-1)).rejects.toThrow(RangeError);
  });
});

describe('seeded ids', () => {
  it('are the same for a seed, of the form of UUIDv7, and rise', () => {
    const some = (seed: number) => {
      const ids = createSeededIds(seed);
      return [ids.uuid(), ids.uuid(), ids.uuid()];
    };
    expect(some(1)).toEqual(some(1));
    expect(some(1)).not.toEqual(some(2));
    expect(some(1)).toEqual([...some(1)].sort());
    for (const id of some(3))
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
