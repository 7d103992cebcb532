import { describe, expect, it } from 'vitest';
import { simulateSeeds } from './sim/seeds.ts';
import { report } from './sim/shrink.ts';

/** Half of what CI runs: a file for each core. */
const FROM = 0;
const COUNT = 10_000;

describe.skipIf(process.env.SIGNALBOX_SEED)('random graphs under faults', () => {
  it(`keep every promise, seeds ${FROM} to ${FROM + COUNT - 1}`, async () => {
    const { failure, ends } = await simulateSeeds(FROM, COUNT);
    expect(failure && report(failure)).toBeUndefined();
    // A simulation in which nothing ever ends otherwise would prove little.
    expect([...ends.keys()].sort()).toEqual(['cancelled', 'completed', 'failed']);
  }, 600_000);
});
