import { jsonEqual } from '../../json/equal.ts';
import type { JsonObject, JsonValue } from '../../json/value.ts';
import { isMultipleOf } from '../../request/decimal.ts';
import { FORMATS } from '../formats.ts';
import { type Loosening, loosening } from './loosening.ts';
import type { Parts } from './prepare.ts';
import {
  type Bound,
  greatest,
  type Kind,
  kindsOf,
  kindsOfType,
  least,
  listedValues,
  lowerBound,
  upperBound,
} from './value-space.ts';

/** Of the keywords about types, texts, numbers and listed values in one part of the old schema. */
export function scalarLoosenings(old: JsonObject, now: Parts, pointer: string): Loosening[] {
  const kinds = kindsOf(now);
  const found: Loosening[] = [...typeLoosenings(old, now, kinds, pointer), ...valueLoosenings(old, now, pointer)];
  for (const { keyword, kinds: about, keeps } of KEYWORDS) {
    const value = old[keyword];
    if (value === undefined || !about.some(kind => kinds.has(kind)) || keeps(value, now, old)) continue;
    found.push(loosening(`${pointer}/${keyword}`, keyword, value, said(now, keyword)));
  }
  return found;
}

/** What the first part that has the keyword says. */
export function said(parts: Parts, keyword: string): JsonValue | undefined {
  return parts.find(part => part[keyword] !== undefined)?.[keyword];
}

interface ScalarKeyword {
  readonly keyword: string;
  readonly kinds: readonly Kind[];
  keeps(value: JsonValue, now: Parts, old: JsonObject): boolean;
}

const NUMBERS: readonly Kind[] = ['integer', 'fraction'];
const TEXTS: readonly Kind[] = ['string'];

const KEYWORDS: readonly ScalarKeyword[] = [
  { keyword: 'minimum', kinds: NUMBERS, keeps: (value, now) => isAbove(lowerBound(now), Number(value), false) },
  { keyword: 'exclusiveMinimum', kinds: NUMBERS, keeps: (value, now) => isAbove(lowerBound(now), Number(value), true) },
  { keyword: 'maximum', kinds: NUMBERS, keeps: (value, now) => isBelow(upperBound(now), Number(value), false) },
  { keyword: 'exclusiveMaximum', kinds: NUMBERS, keeps: (value, now) => isBelow(upperBound(now), Number(value), true) },
  { keyword: 'multipleOf', kinds: NUMBERS, keeps: keepsMultiple },
  { keyword: 'minLength', kinds: TEXTS, keeps: atLeast('minLength') },
  { keyword: 'maxLength', kinds: TEXTS, keeps: atMost('maxLength') },
  { keyword: 'pattern', kinds: TEXTS, keeps: same('pattern') },
  { keyword: 'format', kinds: [...TEXTS, ...NUMBERS], keeps: keepsFormat },
  ...['formatMinimum', 'formatMaximum', 'formatExclusiveMinimum', 'formatExclusiveMaximum'].map(keyword => ({
    keyword,
    kinds: TEXTS,
    keeps: (value: JsonValue, now: Parts, old: JsonObject) =>
      now.some(part => part[keyword] === value && part.format === old.format),
  })),
];

export function atLeast(keyword: string): (value: JsonValue, now: Parts) => boolean {
  return (value, now) => (greatest(now, keyword) ?? Number.NEGATIVE_INFINITY) >= Number(value);
}

export function atMost(keyword: string): (value: JsonValue, now: Parts) => boolean {
  return (value, now) => (least(now, keyword) ?? Number.POSITIVE_INFINITY) <= Number(value);
}

function same(keyword: string): (value: JsonValue, now: Parts) => boolean {
  return (value, now) => now.some(part => part[keyword] === value);
}

function isAbove(bound: Bound | undefined, value: number, strictly: boolean): boolean {
  if (bound === undefined) return false;
  return bound.value > value || (bound.value === value && (bound.exclusive || !strictly));
}

function isBelow(bound: Bound | undefined, value: number, strictly: boolean): boolean {
  if (bound === undefined) return false;
  return bound.value < value || (bound.value === value && (bound.exclusive || !strictly));
}

function keepsMultiple(value: JsonValue, now: Parts): boolean {
  const steps = now.map(part => part.multipleOf).filter(step => typeof step === 'number');
  const whole = kindsOf(now).has('fraction') ? [] : [1];
  return [...steps, ...whole].some(step => isMultipleOf(step, Number(value)));
}

/** A format that nobody knows is not checked, so leaving it out loosens nothing. */
function keepsFormat(value: JsonValue, now: Parts): boolean {
  return !Object.hasOwn(FORMATS, String(value)) || now.some(part => part.format === value);
}

function typeLoosenings(old: JsonObject, now: Parts, kinds: ReadonlySet<Kind>, pointer: string): Loosening[] {
  if (old.type === undefined) return [];
  const allowed = kindsOfType(old.type);
  if ([...kinds].every(kind => allowed.has(kind))) return [];
  return [loosening(`${pointer}/type`, 'type', old.type, said(now, 'type'))];
}

function valueLoosenings(old: JsonObject, now: Parts, pointer: string): Loosening[] {
  const allowed = listedValues(old);
  if (allowed === undefined) return [];
  const isAllowed = (value: JsonValue) => allowed.some(one => jsonEqual(one, value));
  if (now.some(part => listedValues(part)?.every(isAllowed))) return [];
  const found = now.map(listedValues).find(values => values !== undefined);
  const keyword = old.enum === undefined ? 'const' : 'enum';
  return [loosening(`${pointer}/${keyword}`, 'enum', allowed, found)];
}
