import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Wishes } from './wishes.ts';

describe('Wishes', () => {
  it('are taken when they are due, earliest first, each once, in whatever order they came', () => {
    const wish = fc.record({ at: fc.integer({ min: 0, max: 30 }), run: fc.integer({ min: 0, max: 5 }) });
    const look = fc.record({ now: fc.integer({ min: 0, max: 30 }) });
    fc.assert(
      fc.property(fc.array(fc.oneof(wish, look), { maxLength: 80 }), acts => {
        const wishes = new Wishes();
        let plain: { at: number; run: string }[] = [];
        for (const act of acts) {
          if ('now' in act) {
            const due = plain.filter(({ at }) => at <= act.now).sort((a, b) => a.at - b.at);
            expect(wishes.take(act.now)).toEqual(due.map(({ run }) => run));
            plain = plain.filter(({ at }) => at > act.now);
          } else {
            const run = `run_${act.run}`;
            wishes.add(act.at, run);
            if (!plain.some(one => one.at === act.at && one.run === run)) plain.push({ at: act.at, run });
          }
          expect(wishes.next).toBe(plain.length === 0 ? undefined : Math.min(...plain.map(({ at }) => at)));
        }
      }),
    );
  });
});
