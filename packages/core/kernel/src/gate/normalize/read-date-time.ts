import { isSignalboxError } from '../../error/error.ts';
import { formatInstant, isDateTime, parseInstant } from '../../time/instant.ts';
import { withDigits } from './chinese-numerals.ts';
import { foldCase } from './fold-text.ts';
import { LONGEST_DATE, readFoldedDate } from './read-date.ts';
import type { Reading } from './reading.ts';

const OFFSET = '(?: ?(?<offset>z|(?:utc|gmt)?[+-]\\d{1,2}(?::?\\d{2})?|utc|gmt))?';
const CLOCK = '(?<h>\\d{1,2}):(?<min>\\d{2})(?::(?<s>\\d{2})(?:\\.(?<fraction>\\d{1,9}))?)?';

const SPELLINGS = [
  new RegExp(`^(?<day>.+?)(?:t|,? at |, ?| )${CLOCK}(?: ?(?<half>[ap]\\.?m\\.?))?${OFFSET}$`),
  new RegExp(`^(?<day>.+?)(?:,? at |, ?| )(?<h>\\d{1,2}) ?(?<half>[ap]\\.?m\\.?)${OFFSET}$`),
  new RegExp(`^(?<day>\\d{8})t(?<h>\\d{2})(?<min>\\d{2})(?<s>\\d{2})?${OFFSET}$`),
  new RegExp(`^(?<day>.+?[日号號\\)一二三四五六天]) ?(?<half>上午|下午)? ?${CLOCK}${OFFSET}$`),
  new RegExp(
    `^(?<day>.+?[日号號\\)一二三四五六天]) ?(?<half>上午|下午)? ?(?<h>\\d{1,2}) ?[点點时時](?: ?(?<min>\\d{1,2}) ?分(?: ?(?<s>\\d{1,2}) ?秒)?)?${OFFSET}$`,
  ),
];
/** An instant of ours holds milliseconds: more would be lost. */
const FINER_THAN_MS = /\.\d{4,}$/;
const AFTERNOON = /^(?:p|下午)/;

/**
 * What a text may stand for as a date and time, in RFC 3339. With an offset it keeps it; without one it is read in the
 * zone, where one is given, and is then in UTC.
 */
export function readDateTime(text: string, zone: string | undefined): Reading[] {
  if (text.length > LONGEST_DATE) return [];
  const folded = withDigits(foldCase(text));
  for (const spelling of SPELLINGS) {
    const parts = spelling.exec(folded)?.groups;
    const time = parts && timeOf(parts);
    const days = time === undefined ? [] : readFoldedDate(parts!.day!);
    if (days.length > 0) return days.flatMap(day => toReading(`${day}T${time}`, parts!.offset, zone));
  }
  return [];
}

type Parts = Readonly<Record<string, string | undefined>>;

function timeOf({ h, min = '00', s = '00', fraction, half }: Parts): string | undefined {
  const hour = hourOf(Number(h), half);
  if (hour === undefined) return undefined;
  const parts = [String(hour), min, s].map(part => part.padStart(2, '0')).join(':');
  return fraction === undefined ? parts : `${parts}.${fraction}`;
}

function hourOf(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour;
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (AFTERNOON.test(half) ? 12 : 0);
}

function toReading(local: string, offset: string | undefined, zone: string | undefined): Reading[] {
  if (offset !== undefined) {
    const value = `${local}${offsetOf(offset)}`;
    return isDateTime(value) ? [{ value, rule: 'dateTime' }] : [];
  }
  if (zone === undefined || !isDateTime(`${local}Z`) || FINER_THAN_MS.test(local)) return [];
  const value = inUtc(local, zone);
  return value === undefined ? [] : [{ value, rule: 'dateTimeInZone' }];
}

/** Undefined at the edges of the years 0000 to 9999, where the zone leads out of them. */
function inUtc(local: string, zone: string): string | undefined {
  try {
    return formatInstant(parseInstant(local, zone));
  } catch (error) {
    if (isSignalboxError(error) && error.code === 'InvalidInstant') return undefined;
    throw error;
  }
}

function offsetOf(written: string): string {
  const [, sign, hours, minutes = '00'] = /([+-])(\d{1,2}):?(\d{2})?$/.exec(written) ?? [];
  return sign === undefined ? 'Z' : `${sign}${hours!.padStart(2, '0')}:${minutes}`;
}
