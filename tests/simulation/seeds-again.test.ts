import { describe, expect, it } from 'vitest';
import { optionsFrom, optionsText, report } from './sim/shrink.ts';
import { simulate } from './sim/simulation.ts';

const { SIGNALBOX_SEED } = process.env;

describe('one seed', () => {
  it('comes out the same every time', async () => {
    for (const seed of [3, 44, 1220]) {
      const [one, other] = [await simulate({ seed }), await simulate({ seed })];
      expect(one.trace).toEqual(other.trace);
      expect(JSON.stringify(one.commits)).toBe(JSON.stringify(other.commits));
    }
  });

  it('is told as it is read', () => {
    expect(optionsFrom(optionsText({ seed: 17, size: 2, faults: 1 }))).toEqual({ seed: 17, size: 2, faults: 1 });
    expect(() => optionsFrom('17,colour=2')).toThrow('known are');
    expect(() => optionsFrom('seventeen')).toThrow('no seed');
  });

  it.runIf(SIGNALBOX_SEED)(`SIGNALBOX_SEED=${SIGNALBOX_SEED} keeps every promise`, async () => {
    const options = optionsFrom(SIGNALBOX_SEED ?? '');
    const result = await simulate(options);
    console.log(report({ options, result }));
    expect(result.violations).toEqual([]);
  });
});
