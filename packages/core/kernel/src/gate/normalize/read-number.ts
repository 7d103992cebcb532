import { isSignalboxError } from '../../error/error.ts';
import { parseStrictJson } from '../../json/strict-json.ts';
import { isInt64 } from '../../schema/formats.ts';
import { foldText } from './fold-text.ts';

const LONGEST = 64;
const MINUS = /^[\u2212\u2013]/;
const PLAIN = /^([+-]?)(\d*)(\.\d+)?([eE][+-]?\d{1,4})?$/;
/** Commas group only where nothing else is possible: two of them, or one before a decimal point. */
const COMMAS = /^[+-]?[1-9]\d{0,2}(?:(?:,\d{3}){2,}(?:\.\d+)?|,\d{3}\.\d+)$/;
/** One comma before three digits: a thousand for some, a decimal mark for others. */
const ONE_COMMA = /^([+-]?[1-9]\d{0,2}),(\d{3})$/;
/** Marks that are never a decimal one. */
const APOSTROPHES = /^[+-]?[1-9]\d{0,2}(?:(?:'\d{3})+|(?:\u2019\d{3})+|(?:_\d{3})+)(?:\.\d+)?$/;
/** A double holds every decimal of so many digits. */
const SURE_DIGITS = 15;

/** The numbers a text may stand for. The decimal mark is the point; see the guide for the rest. */
export function readNumber(text: string): number[] {
  const folded = foldNumber(text);
  if (folded === undefined) return [];
  const oneComma = ONE_COMMA.exec(folded);
  if (oneComma) return [...readPlain(oneComma[1]! + oneComma[2]!), ...readPlain(`${oneComma[1]}.${oneComma[2]}`)];
  return readPlain(withoutGroups(folded));
}

/** A whole number of 64 bits in its canonical text, whether it came as a number or as another text. */
export function readInt64(value: number | string): string[] {
  const text = typeof value === 'number' ? String(value) : withoutGroups(foldNumber(value) ?? '');
  if (!/^[+-]?\d{1,24}$/.test(text)) return [];
  const canonical = String(BigInt(text.replace('+', '')));
  return isInt64(canonical) ? [canonical] : [];
}

function foldNumber(text: string): string | undefined {
  return text.length > LONGEST ? undefined : foldText(text).replace(MINUS, '-');
}

function withoutGroups(text: string): string {
  if (COMMAS.test(text)) return text.replaceAll(',', '');
  return APOSTROPHES.test(text) ? text.replace(/['\u2019_]/g, '') : text;
}

function readPlain(text: string): number[] {
  const [, sign, whole, fraction = '', exponent = ''] = PLAIN.exec(text) ?? [];
  if (sign === undefined || (whole === '' && fraction === '')) return [];
  const digits = whole!.replace(/^0+(?=\d)/, '') || '0';
  const json = `${sign === '-' ? '-' : ''}${digits}${fraction}${exponent}`;
  const value = strictNumber(json);
  return value === undefined || !isExact(digits + fraction, value) ? [] : [value];
}

/** By the one strict reader: a text must not bring in a number that JSON itself could not. */
function strictNumber(json: string): number | undefined {
  try {
    return parseStrictJson(json) as number;
  } catch (error) {
    if (isSignalboxError(error) && error.code === 'InvalidJson') return undefined;
    throw error;
  }
}

/** Whether the double says all that was written: digits it would drop are no spelling of it. */
function isExact(written: string, value: number): boolean {
  const significant = significantDigits(written);
  return significant.length <= SURE_DIGITS || significant === significantDigits(String(Math.abs(value)).split('e')[0]!);
}

function significantDigits(decimal: string): string {
  const digits = decimal.replace('.', '').replace(/^0+/, '');
  return digits.replace(/0+$/, '');
}
