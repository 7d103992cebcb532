import { describe, expect, it } from 'vitest';
import { crash } from './crash-harness.ts';

describe('a process that is killed at random moments', () => {
  it.each([
    ['strict', 100],
    ['relaxed', 100],
  ] as const)(
    'loses nothing it acknowledged and does nothing twice that is done once (%s, %i deaths)',
    {
      timeout: 600_000,
    },
    async (durability, cycles) => {
      const report = await crash({ durability, cycles, seed: cycles });
      expect(report.broken).toEqual([]);
      expect(report.runs).toBeGreaterThan(cycles / 10);
      expect(report.acknowledged).toBeGreaterThan(report.runs);
    },
  );
});
