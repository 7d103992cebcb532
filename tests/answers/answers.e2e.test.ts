import { describe, expect, it } from 'vitest';
import { inMemory, onSqlite } from './testing/places.ts';
import { playAnswers } from './testing/play.ts';

const SEED = 20_261_130;

describe('answers that come again and again, in any order, early, late, after the end and to two processes', () => {
  it.each([
    ['two engines on data in memory', inMemory, 4_000],
    ['two processes on an SQLite file', onSqlite, 1_000],
  ] as const)(
    '%s: none is taken twice and none that was accepted is lost',
    { timeout: 240_000 },
    async (_, open, count) => {
      const place = await open();
      try {
        const report = await playAnswers(place, { count, seed: SEED });
        expect(report.broken).toEqual([]);
        expect(report.deliveries).toBeGreaterThanOrEqual(count);
        // Each of the things that can become of an answer was seen often.
        expect(report.early).toBeGreaterThan(count / 200);
        for (const outcome of ['accepted', 'AlreadyAnswered', 'RequestExpired', 'RequestClosed', 'InvalidAnswer'])
          expect(report.told[outcome], outcome).toBeGreaterThan(count / 200);
      } finally {
        await place.close();
      }
    },
  );
});
