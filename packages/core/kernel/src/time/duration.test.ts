import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSignalboxError } from '../error/error.ts';
import { formatDuration, parseDuration } from './duration.ts';

function hintOf(text: string): string | undefined {
  try {
    parseDuration(text);
  } catch (error) {
    if (isSignalboxError(error) && error.code === 'InvalidDuration') return error.hint;
    throw error;
  }
  return undefined;
}

describe('a duration', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['7d', 604_800_000],
    ['0s', 0],
    ['PT5M', 300_000],
    ['P7D', 604_800_000],
    ['P2W', 1_209_600_000],
    ['PT1H30M', 5_400_000],
    ['P1DT0.5S', 86_400_500],
    ['PT0,25S', 250],
    ['PT36H', 129_600_000],
    ['PT0S', 0],
  ])('%s is %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each([
    '',
    '5',
    'm',
    '5 m',
    ' 5m',
    '5m ',
    '5M',
    '1.5h',
    '1h30m',
    '-5m',
    '+5m',
    '5w',
    '5min',
    'P',
    'PT',
    'P1DT',
    '٥m',
    '1e3ms',
  ])('%j is refused with the forms that are read', text => {
    expect(hintOf(text)).toMatch('30s');
  });

  it.each(['P1Y', 'P1M', 'P1Y2M3D', 'P0.5Y', '-P1M'])('%s is refused: its length varies or it has none', text => {
    expect(hintOf(text)).toBeDefined();
  });

  it('says of months and years that days have a fixed length', () => {
    expect(hintOf('P1M')).toMatch('P30D');
  });

  it('is never negative, finer than a millisecond or beyond every instant', () => {
    expect(() => parseDuration('-PT5M')).toThrow('"-PT5M" is negative.');
    expect(() => parseDuration('PT0.0001S')).toThrow('finer than a millisecond');
    expect(parseDuration('100000000d')).toBe(8.64e15);
    expect(() => parseDuration('100000001d')).toThrow('is longer than');
    expect(() => parseDuration(`${'9'.repeat(400)}d`)).toThrow('is longer than');
    expect(() => parseDuration('P100000001D')).toThrow('is longer than');
  });

  it('means the same in short form and in ISO 8601', () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.constantFrom('s', 'm', 'h', 'd'), (count, unit) => {
        const iso = unit === 'd' ? `P${count}D` : `PT${count}${unit.toUpperCase()}`;
        expect(parseDuration(iso)).toBe(parseDuration(`${count}${unit}`));
      }),
    );
  });
});

describe('a duration for people', () => {
  it.each([
    [0, '0 ms'],
    [0.4, '0 ms'],
    [41, '41 ms'],
    [999.9, '999 ms'],
    [1_000, '1 s'],
    [1_540, '1.5 s'],
    [59_999, '59.9 s'],
    [60_000, '1 min'],
    [90_000, '1 min 30 s'],
    [7_200_000, '2 h'],
    [9_000_000, '2 h 30 min'],
    [86_399_999, '23 h 59 min'],
    [273_600_000, '3 d 4 h'],
    [604_800_000, '7 d'],
    [-41, '-41 ms'],
  ])('%d ms reads %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
