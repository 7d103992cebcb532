import { isJsonObject, type JsonObject, type JsonValue } from '../../json/value.ts';
import type { Parts } from './prepare.ts';

/** JSON's types, numbers apart by whether they are whole. */
export type Kind = 'null' | 'boolean' | 'string' | 'object' | 'array' | 'integer' | 'fraction';

const ALL: readonly Kind[] = ['null', 'boolean', 'string', 'object', 'array', 'integer', 'fraction'];

/** Kinds of the values that may be let through. */
export function kindsOf(parts: Parts): ReadonlySet<Kind> {
  return new Set(ALL.filter(kind => parts.every(part => partAllows(part, kind))));
}

function partAllows(part: JsonObject, kind: Kind): boolean {
  const values = listedValues(part);
  if (values?.every(value => kindOf(value) !== kind)) return false;
  return part.type === undefined || kindsOfType(part.type).has(kind);
}

export function kindsOfType(type: JsonValue): ReadonlySet<Kind> {
  const types = Array.isArray(type) ? type : [type];
  return new Set(types.flatMap(one => (one === 'number' ? (['integer', 'fraction'] as const) : [one as Kind])));
}

function kindOf(value: JsonValue): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction';
  return typeof value as 'boolean' | 'string' | 'object';
}

/** The values that one part names as the only ones. */
export function listedValues(part: JsonObject): readonly JsonValue[] | undefined {
  if (Array.isArray(part.enum)) return part.enum;
  return part.const === undefined ? undefined : [part.const];
}

/** All values that may be let through, where they are few and none has parts of its own. */
export function fewValues(parts: Parts): readonly JsonValue[] | undefined {
  const kinds = kindsOf(parts);
  const listed = parts.map(listedValues).find(values => values !== undefined);
  if (listed !== undefined) {
    const values = listed.filter(value => kinds.has(kindOf(value)));
    return values.some(value => Array.isArray(value) || isJsonObject(value)) ? undefined : values;
  }
  if ([...kinds].some(kind => kind !== 'null' && kind !== 'boolean')) return undefined;
  return [...(kinds.has('null') ? [null] : []), ...(kinds.has('boolean') ? [true, false] : [])];
}

/** The greatest of a keyword's values, as all parts must hold; undefined where none says it. */
export function greatest(parts: Parts, keyword: string): number | undefined {
  const values = numbersOf(parts, keyword);
  return values.length === 0 ? undefined : Math.max(...values);
}

export function least(parts: Parts, keyword: string): number | undefined {
  const values = numbersOf(parts, keyword);
  return values.length === 0 ? undefined : Math.min(...values);
}

function numbersOf(parts: Parts, keyword: string): number[] {
  return parts.map(part => part[keyword]).filter(value => typeof value === 'number');
}

export interface Bound {
  readonly value: number;
  readonly exclusive: boolean;
}

/** The bound below which no number is let through; of whole numbers the first that is. */
export function lowerBound(parts: Parts): Bound | undefined {
  return boundOf(parts, { inclusive: 'minimum', exclusive: 'exclusiveMinimum', sign: 1 });
}

export function upperBound(parts: Parts): Bound | undefined {
  return boundOf(parts, { inclusive: 'maximum', exclusive: 'exclusiveMaximum', sign: -1 });
}

interface BoundWords {
  readonly inclusive: string;
  readonly exclusive: string;
  readonly sign: 1 | -1;
}

/** `sign` turns an upper bound into a lower one. */
function boundOf(parts: Parts, { inclusive, exclusive, sign }: BoundWords): Bound | undefined {
  const bounds = [
    ...numbersOf(parts, inclusive).map(value => ({ value, exclusive: false })),
    ...numbersOf(parts, exclusive).map(value => ({ value, exclusive: true })),
  ].sort((a, b) => sign * (b.value - a.value) || Number(b.exclusive) - Number(a.exclusive));
  const [tightest] = bounds;
  if (tightest === undefined || kindsOf(parts).has('fraction')) return tightest;
  const beyond = tightest.exclusive && Number.isInteger(tightest.value);
  const whole = sign * Math.ceil(sign * tightest.value) + (beyond ? sign : 0);
  return { value: whole, exclusive: false };
}
