import { Temporal } from 'temporal-polyfill';
import { isCalendarDate } from '../../time/instant.ts';
import { withDigits } from './chinese-numerals.ts';
import { foldCase } from './fold-text.ts';

export const LONGEST_DATE = 80;

const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
];
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const WEEKDAYS_ZH = '一二三四五六日';

const BEFORE = /^([a-z]{3,9})\.?,? (?=.*\d)/;
const BEHIND = /\s?\(?(?:星期|周|週|礼拜|禮拜)([一二三四五六日天])\)?$/;

/** Groups `y`, `m` or `month`, and `d`; by each spelling at most one day. */
const SPELLINGS = [
  /^(?<y>\d{4})([-/.])(?<m>\d{1,2})\2(?<d>\d{1,2})$/,
  /^(?<y>\d{4})(?<m>\d{2})(?<d>\d{2})$/,
  /^(?<y>\d{4}) ?年 ?(?<m>\d{1,2}) ?月 ?(?<d>\d{1,2}) ?[日号號]$/,
  /^(?<d>\d{1,2})(?:st|nd|rd|th)?(?: of)?[ -](?<month>[a-z]{3,9})\.?(?:, ?| |-)(?<y>\d{4})$/,
  /^(?<month>[a-z]{3,9})\.? (?<d>\d{1,2})(?:st|nd|rd|th)?(?:, ?| )(?<y>\d{4})$/,
  /^(?<y>\d{4})[ -](?<month>[a-z]{3,9})\.?[ -](?<d>\d{1,2})$/,
];
/** The year last: the day may stand first or second, and only the calendar can tell. */
const YEAR_LAST = /^(?<a>\d{1,2})([-/.])(?<b>\d{1,2})\2(?<y>\d{4})$/;

/** The days of the calendar, `YYYY-MM-DD`, that a text may stand for. None is ever rolled over. */
export function readDate(text: string): string[] {
  return text.length > LONGEST_DATE ? [] : readFoldedDate(withDigits(foldCase(text)));
}

/** The same of a text that is folded already. */
export function readFoldedDate(text: string): string[] {
  const { rest, weekday } = withoutWeekday(text);
  const days = new Set(readDays(rest).filter(isCalendarDate));
  return [...days].filter(day => weekday === undefined || Temporal.PlainDate.from(day).dayOfWeek === weekday);
}

/** A weekday that is named must be that of the day: 1 is Monday. */
function withoutWeekday(text: string): { rest: string; weekday?: number } {
  const before = BEFORE.exec(text);
  const named = before ? indexOfName(before[1]!, WEEKDAYS) : 0;
  if (before && named > 0) return { rest: text.slice(before[0].length), weekday: named };
  const behind = BEHIND.exec(text);
  if (!behind) return { rest: text };
  return { rest: text.slice(0, behind.index), weekday: WEEKDAYS_ZH.indexOf(behind[1]!.replace('天', '日')) + 1 };
}

function readDays(text: string): string[] {
  for (const spelling of SPELLINGS) {
    const parts = spelling.exec(text)?.groups;
    if (parts) return [isoDay(parts.y!, parts.m ?? indexOfName(parts.month!, MONTHS), parts.d!)];
  }
  const parts = YEAR_LAST.exec(text)?.groups;
  return parts ? [isoDay(parts.y!, parts.a!, parts.b!), isoDay(parts.y!, parts.b!, parts.a!)] : [];
}

function isoDay(year: string, month: string | number, day: string): string {
  return `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/** From 1; 0 for none. A name may be cut to three letters, or to four as in `Sept` and `Thur`. */
function indexOfName(name: string, names: readonly string[]): number {
  return names.findIndex(full => full === name || (name.length <= 5 && full.startsWith(name))) + 1;
}
