import { Temporal } from 'temporal-polyfill';
import { SignalboxError } from '../error/error.ts';

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const LOCAL = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)$/;
const RFC3339 = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?)([Zz]|[+-]\d{2}:\d{2})$/;
/** An IANA name begins with a letter; an offset such as `+02:00` is no zone, as it knows no rules. */
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+\-/]*$/;
/** Temporal would read second 60 as 59; here a time that epoch milliseconds cannot name is refused. */
const LEAP_SECOND = /:60(?:\.\d+)?$/;

const FIRST_YEAR_0000 = -62_167_219_200_000;
const LAST_YEAR_9999 = 253_402_300_799_999;

/**
 * Epoch milliseconds of a time as written in a graph or a form; the zone of the process has no part in it.
 * With an offset or `Z` it is taken as it is. A local time is read in `zone`: one in a gap is moved on by the gap, of a
 * double one the earlier holds. A date alone is the start of its day there. Parts of a millisecond are cut off.
 *
 * @throws SignalboxError `InvalidInstant` (shape, or no such date or time), `InvalidZone`.
 */
export function parseInstant(text: string, zone: string): number {
  if (!isValidZone(zone)) {
    throw new SignalboxError('InvalidZone', `${JSON.stringify(zone)} is not a time zone.`, {
      hint: 'Give an IANA name such as Asia/Taipei or UTC.',
    });
  }
  const ms = readDateTime(text) ?? readLocal(text, zone) ?? readDate(text)?.toZonedDateTime(zone).epochMilliseconds;
  if (ms !== undefined) return ms;
  throw new SignalboxError('InvalidInstant', `${JSON.stringify(text)} is not a date or time that exists.`, {
    hint: 'Give RFC 3339 (2026-05-04T09:00:00+08:00), a local time (2026-05-04T09:00:00) or a date (2026-05-04).',
  });
}

/** RFC 3339 in UTC with milliseconds, of years 0000 to 9999. @throws SignalboxError `InvalidInstant` */
export function formatInstant(ms: number): string {
  if (!Number.isInteger(ms) || ms < FIRST_YEAR_0000 || ms > LAST_YEAR_9999) {
    throw new SignalboxError('InvalidInstant', `${ms} is not an instant in epoch milliseconds.`, {
      hint: 'Whole milliseconds within the years 0000 to 9999 can be written.',
    });
  }
  return new Date(ms).toISOString();
}

/** Whether `zone` is an IANA zone that this platform knows, in any letter case. */
export function isValidZone(zone: string): boolean {
  return ZONE_NAME.test(zone) && attempt(() => new Temporal.ZonedDateTime(0n, zone)) !== undefined;
}

/** Whether `text` is a day of the calendar, `YYYY-MM-DD`. Reckoned here: every checked date of a form or a call asks. */
export function isCalendarDate(text: string): boolean {
  const parts = DATE.exec(text);
  if (!parts) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysIn(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 && isLeap ? 29 : DAYS[month - 1]!;
}

/** Whether `text` is RFC 3339 with an offset, of a date and time that exist. A leap second is not accepted. */
export function isDateTime(text: string): boolean {
  return readDateTime(text) !== undefined;
}

function readDate(text: string): Temporal.PlainDate | undefined {
  return DATE.test(text) ? attempt(() => Temporal.PlainDate.from(text)) : undefined;
}

function readDateTime(text: string): number | undefined {
  const parts = RFC3339.exec(text);
  if (!parts || LEAP_SECOND.test(parts[2]!)) return undefined;
  return attempt(() => Temporal.Instant.from(text).epochMilliseconds);
}

function readLocal(text: string, zone: string): number | undefined {
  const parts = LOCAL.exec(text);
  if (!parts || LEAP_SECOND.test(parts[2]!)) return undefined;
  const local = attempt(() => Temporal.PlainDateTime.from(text));
  return local?.toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds;
}

/** Temporal says no by throwing a RangeError. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
