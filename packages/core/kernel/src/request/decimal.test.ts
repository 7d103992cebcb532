import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMultipleOf } from './decimal.ts';

describe('isMultipleOf', () => {
  it('C17: counts steps from 0 in decimal', () => {
    for (const price of [4.35, 16.08, 0.57, 2.3, 1.17, 0, 100000.01]) expect(isMultipleOf(price, 0.01)).toBe(true);
    for (const price of [4.351, 16.085]) expect(isMultipleOf(price, 0.01)).toBe(false);
    for (const level of [0.3, 0.6, 0.7, -0.7]) expect(isMultipleOf(level, 0.1)).toBe(true);
    expect(isMultipleOf(0.35, 0.1)).toBe(false);
    for (const mix of [0.15, 0.35, 0.7]) expect(isMultipleOf(mix, 0.05)).toBe(true);
    expect(isMultipleOf(0.12, 0.05)).toBe(false);
  });

  it('reads numbers that are written with an exponent', () => {
    expect(isMultipleOf(1e21, 1e-7)).toBe(true);
    expect(isMultipleOf(1e21, 7)).toBe(false);
    expect(isMultipleOf(1e-7, 1e-8)).toBe(true);
    expect(isMultipleOf(1.5e-7, 1e-7)).toBe(false);
    expect(isMultipleOf(1e300, 5e-324)).toBe(true);
  });

  it('finds nothing that is not finite', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) expect(isMultipleOf(value, 1)).toBe(false);
  });

  it('agrees with whole numbers of hundredths', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 1, max: 1000 }), (units, step) => {
        expect(isMultipleOf(Number(`${units}e-2`), Number(`${step}e-2`))).toBe(units % step === 0);
      }),
    );
  });
});
