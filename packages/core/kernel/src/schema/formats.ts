import type { Format } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { isCalendarDate, isDateTime, parseInstant } from '../time/instant.ts';
import { patternProblem } from './pattern.ts';

const INT64 = /^(?:0|-?[1-9]\d{0,18})$/;
const MOST = 2n ** 63n;

/** Whole numbers beyond 2^53 travel as text; the text is the canonical decimal one, so equal numbers are equal texts. */
export function isInt64(text: string): boolean {
  if (!INT64.test(text)) return false;
  const value = BigInt(text);
  return value >= -MOST && value < MOST;
}

function order(a: number | string, b: number | string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Called for texts that failed the format as well; those are not ordered, and have their issue already. */
function compareDateTimes(a: string, b: string): number {
  return isDateTime(a) && isDateTime(b) ? order(parseInstant(a, 'UTC'), parseInstant(b, 'UTC')) : 0;
}

/** As `ajv-formats` has it; there who is named before the host takes time by the square of its length. */
const URL_TEXT = new RegExp(
  (fullFormats.url as RegExp).source.replace('(?:\\S+(?::\\S*)?@)?', '(?:\\S+@)?'),
  (fullFormats.url as RegExp).flags,
);

/**
 * The formats that are checked, by name. `date` and `date-time` are checked against the calendar, `date-time` needs its
 * offset (RFC 3339); dates can be bounded with `formatMinimum` and its kin. A format of another name is not checked.
 */
export const FORMATS: Readonly<Record<string, Format>> = {
  ...fullFormats,
  date: { type: 'string', validate: isCalendarDate, compare: order },
  'date-time': {
    type: 'string',
    validate: isDateTime,
    compare: compareDateTimes,
  },
  int64: { type: 'string', validate: isInt64 },
  url: URL_TEXT,
  regex: { type: 'string', validate: (text: string) => patternProblem(text) === undefined },
};
