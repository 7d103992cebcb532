import type { JsonObject, JsonValue } from '../json/value.ts';

/**
 * One thing wrong with a value. `pointer` is a JSON pointer into that value (`/items/0/qty`, `''` is the value itself),
 * `code` is stable, `message` goes on from the name of the place ("must be at least 1") and never repeats the value,
 * which may be sensitive. `params` holds the bounds the message names, for translations.
 */
export interface Issue {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
  readonly params?: JsonObject;
}

export function createIssue(pointer: string, code: string, params: JsonObject = {}): Issue {
  const text = MESSAGES[code]?.(params) ?? 'is not valid';
  return Object.keys(params).length === 0 ? { pointer, code, message: text } : { pointer, code, message: text, params };
}

/** What kind of JSON value this is, in words that fit after "must be" or "not". */
export function kindOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return KINDS[typeof value] ?? 'an object';
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

const FORMATS: Readonly<Record<string, string>> = {
  date: 'a date of the calendar, such as 2026-03-04',
  'date-time': 'a date and time with its offset, such as 2026-03-04T09:00:00+08:00',
  'local-date-time': 'a date and time, such as 2026-03-04T09:00 or 2026-03-04T09:00:00+08:00',
  int64: 'a whole number of 64 bits, given as text',
};

const SHOWN = 20;

function list(values: JsonValue | undefined, show: (value: JsonValue) => string): string {
  const all = Array.isArray(values) ? values : [values ?? null];
  const shown = all.slice(0, SHOWN).map(show).join(', ');
  return all.length > SHOWN ? `${shown} and ${all.length - SHOWN} more` : shown;
}

function count(value: JsonValue | undefined, one: string, many: string): string {
  return `${String(value)} ${value === 1 ? one : many}`;
}

const json = (value: JsonValue): string => JSON.stringify(value);
const guess = (params: JsonObject): string =>
  typeof params.suggestion === 'string' ? `; did you mean \`${params.suggestion}\`?` : '';

const MESSAGES: Readonly<Record<string, (params: JsonObject) => string>> = {
  required: () => 'is required',
  null: () => 'null is no value; leave the key out to give none',
  type: p => {
    const types = Array.isArray(p.type) ? p.type : [p.type ?? null];
    const wanted = types.map(type => KINDS[String(type)] ?? String(type)).join(' or ');
    // A number with a fraction is one as well: that it is none would be no help.
    const isFraction = p.got === KINDS.number && types.includes('integer');
    return typeof p.got === 'string' && !isFraction ? `must be ${wanted}, not ${p.got}` : `must be ${wanted}`;
  },
  enum: p => `must be one of ${list(p.allowedValues, json)}`,
  const: p => `must be ${json(p.allowedValue ?? null)}`,
  minimum: p => `must be at least ${String(p.limit)}`,
  maximum: p => `must be at most ${String(p.limit)}`,
  exclusiveMinimum: p => `must be more than ${String(p.limit)}`,
  exclusiveMaximum: p => `must be less than ${String(p.limit)}`,
  multipleOf: p => (p.multipleOf === 1 ? 'must be a whole number' : `must be a multiple of ${String(p.multipleOf)}`),
  minLength: p => `must have at least ${count(p.limit, 'character', 'characters')}`,
  maxLength: p => `must have at most ${count(p.limit, 'character', 'characters')}`,
  pattern: p => `must match the pattern ${String(p.pattern)}`,
  format: p => `must be ${FORMATS[String(p.format)] ?? `of the format ${String(p.format)}`}`,
  minItems: p => `must have at least ${count(p.limit, 'entry', 'entries')}`,
  maxItems: p => `must have at most ${count(p.limit, 'entry', 'entries')}`,
  uniqueItems: () => 'must not have the same entry twice',
  contains: p => `must hold at least ${count(p.minContains ?? 1, 'entry', 'entries')} of the declared kind`,
  minProperties: p => `must have at least ${count(p.limit, 'key', 'keys')}`,
  maxProperties: p => `must have at most ${count(p.limit, 'key', 'keys')}`,
  propertyNames: () => 'is not allowed as a key here',
  unknownKey: p => `is not a known key${guess(p)}`,
  unknownField: p => `is not a field of this form${guess(p)}`,
  hiddenField: () => 'is not asked for with these values, so no value may be given',
  notAllowed: () => 'must be absent',
  anyOf: () => 'matches none of the allowed forms',
  oneOf: p => (Array.isArray(p.passingSchemas) ? 'matches more than one form' : 'matches none of the allowed forms'),
  not: () => 'matches a form that is excluded',
  tooManySteps: p =>
    `takes more than ${String(p.limit)} steps to be checked: its schema refers to itself from several alternatives`,
  notJson: () => 'is not a JSON value',
};
