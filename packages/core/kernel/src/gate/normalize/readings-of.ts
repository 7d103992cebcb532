import { isSignalboxError } from '../../error/error.ts';
import { jsonEqual } from '../../json/equal.ts';
import { parseStrictJson } from '../../json/strict-json.ts';
import { isJsonObject, type JsonValue, MAX_JSON_DEPTH } from '../../json/value.ts';
import { isInt64 } from '../../schema/formats.ts';
import { isCalendarDate, isDateTime } from '../../time/instant.ts';
import { readBoolean } from './read-boolean.ts';
import { readDate } from './read-date.ts';
import { readDateTime } from './read-date-time.ts';
import { isNullText, readMember } from './read-member.ts';
import { readInt64, readNumber } from './read-number.ts';
import type { Reading, ReadOptions } from './reading.ts';
import type { ValuePlan } from './value-plan.ts';

/**
 * Every way in which a value that breaks what its place declares can be read as something that the place declares.
 * A value that keeps type, enumeration and format is not read at all.
 *
 * @param depth how many lists and objects the value stands in.
 */
export function readingsOf(value: JsonValue, plan: ValuePlan, depth: number, options: ReadOptions): Reading[] {
  if (value === null && plan.nullable) return [];
  if (plan.members !== undefined) return memberReadings(value, plan.members, plan.nullable);
  if (plan.types === undefined) return [];
  if (!plan.types.some(type => hasType(value, type))) return typeReadings(value, plan, depth);
  return typeof value === 'string' ? formatReadings(value, plan, options) : [];
}

function memberReadings(value: JsonValue, members: readonly JsonValue[], nullable: boolean): Reading[] {
  if (typeof value !== 'string' || members.some(member => jsonEqual(member, value))) return [];
  const all = nullable && !members.includes(null) ? [...members, null] : members;
  return readMember(value, all).map(member => ({ value: member, rule: 'enumMember' }));
}

/** A number is never turned into a text (a code `47` may have been `0047`), but for the text of a whole number. */
function typeReadings(value: JsonValue, plan: ValuePlan, depth: number): Reading[] {
  const types = plan.types ?? [];
  if (Number.isInteger(value) && types.includes('string') && plan.formats.includes('int64')) {
    return readInt64(value as number).map(text => ({ value: text, rule: 'int64' }));
  }
  if (typeof value !== 'string') return [];
  const read = [...types, ...(plan.nullable ? ['null'] : [])].flatMap(type => readAs(type, value, depth));
  return distinct(read);
}

function readAs(type: string, text: string, depth: number): Reading[] {
  switch (type) {
    case 'integer':
      return readInteger(text).map(value => ({ value, rule: 'integerFromText' }));
    case 'number':
      return readNumber(text).map(value => ({ value, rule: 'numberFromText' }));
    case 'boolean':
      return readBoolean(text).map(value => ({ value, rule: 'booleanFromText' }));
    case 'null':
      return isNullText(text) ? [{ value: null, rule: 'nullFromText' }] : [];
    case 'array':
      return readJson(text, depth).flatMap(value => (Array.isArray(value) ? [{ value, rule: 'listFromText' }] : []));
    case 'object':
      return readJson(text, depth).flatMap(value => (isJsonObject(value) ? [{ value, rule: 'objectFromText' }] : []));
    default:
      return [];
  }
}

/** `1,234` stays ambiguous, although one of its readings is no whole number. */
function readInteger(text: string): number[] {
  const numbers = readNumber(text);
  return numbers.length === 1 ? numbers.filter(Number.isInteger) : numbers;
}

function formatReadings(text: string, plan: ValuePlan, { zone }: ReadOptions): Reading[] {
  const [format, ...others] = plan.formats;
  if (format === undefined || others.some(other => other !== format)) return [];
  switch (format) {
    case 'date':
      return isCalendarDate(text) ? [] : readDate(text).map(value => ({ value, rule: 'date' }));
    case 'date-time':
      return isDateTime(text) ? [] : readDateTime(text, zone);
    case 'int64':
      return isInt64(text) ? [] : readInt64(text).map(value => ({ value, rule: 'int64' }));
    default:
      return [];
  }
}

/** By the one strict reader, and not deeper than the arguments may be as a whole. */
function readJson(text: string, depth: number): JsonValue[] {
  if (!/^\s*[[{]/.test(text) || depth >= MAX_JSON_DEPTH) return [];
  try {
    return [parseStrictJson(text, { maxDepth: MAX_JSON_DEPTH - depth })];
  } catch (error) {
    if (isSignalboxError(error) && error.code === 'InvalidJson') return [];
    throw error;
  }
}

function hasType(value: JsonValue, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function distinct(readings: readonly Reading[]): Reading[] {
  return readings.filter((reading, at) => readings.findIndex(other => jsonEqual(other.value, reading.value)) === at);
}
