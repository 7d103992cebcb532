import { Temporal } from 'temporal-polyfill';
import { SignalboxError } from '../error/error.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', SECOND],
  ['m', MINUTE],
  ['h', HOUR],
  ['d', DAY],
]);
const SHORT = /^(\d+)(ms|s|m|h|d)$/;
const ISO = /^[+-]?P/i;
/** As far as an instant can lie from 1970: 100,000,000 days. */
const LONGEST = 100_000_000 * DAY;
const HINT = 'Write 500ms, 30s, 5m, 2h, 7d, or ISO 8601 as in PT1H30M.';

/**
 * A length of time in whole milliseconds: `500ms`, `30s`, `5m`, `2h`, `7d`, or ISO 8601 (`PT1H30M`, `P2W`).
 * A day is 24 hours, whatever a zone does in it. 0 is allowed.
 *
 * @throws SignalboxError `InvalidDuration` for anything else: negative, months and years, parts of a millisecond.
 */
export function parseDuration(text: string): number {
  const short = SHORT.exec(text);
  const ms = short ? Number(short[1]) * UNITS.get(short[2]!)! : isoMilliseconds(text);
  if (ms > LONGEST) throw invalid(text, 'is longer than 100,000,000 days', 'Leave the limit out instead.');
  return ms;
}

function isoMilliseconds(text: string): number {
  const duration = ISO.test(text) ? readIso(text) : undefined;
  if (duration === undefined) throw invalid(text, 'is not a duration', HINT);
  if (duration.years !== 0 || duration.months !== 0) {
    throw invalid(text, 'has no fixed length', 'Years and months vary; give days, as in P30D.');
  }
  if (duration.sign < 0) throw invalid(text, 'is negative', HINT);
  if (duration.microseconds !== 0 || duration.nanoseconds !== 0) {
    throw invalid(text, 'is finer than a millisecond', HINT);
  }
  const days = duration.weeks * 7 + duration.days;
  return (
    days * DAY + duration.hours * HOUR + duration.minutes * MINUTE + duration.seconds * SECOND + duration.milliseconds
  );
}

function readIso(text: string): Temporal.Duration | undefined {
  try {
    return Temporal.Duration.from(text);
  } catch {
    return undefined;
  }
}

function invalid(text: string, why: string, hint: string): SignalboxError {
  return new SignalboxError('InvalidDuration', `${JSON.stringify(text)} ${why}.`, { hint });
}

const LARGER_UNITS: readonly (readonly [number, string])[] = [
  [DAY, 'd'],
  [HOUR, 'h'],
  [MINUTE, 'min'],
  [SECOND, 's'],
];

/** For people: `41 ms`, `1.5 s`, `5 min`, `2 h 30 min`, `3 d 4 h`. At most two units, the rest cut off, never rounded up. */
export function formatDuration(ms: number): string {
  if (ms < 0) return `-${formatDuration(-ms)}`;
  if (ms < SECOND) return `${Math.floor(ms)} ms`;
  if (ms < MINUTE) return `${Math.floor(ms / 100) / 10} s`;
  const first = LARGER_UNITS.findIndex(([size]) => ms >= size);
  const [size, unit] = LARGER_UNITS[first]!;
  const [nextSize, nextUnit] = LARGER_UNITS[first + 1]!;
  const rest = Math.floor((ms % size) / nextSize);
  const head = `${Math.floor(ms / size)} ${unit}`;
  return rest === 0 ? head : `${head} ${rest} ${nextUnit}`;
}
