import { pointerTo } from '../../error/fault.ts';
import { jsonEqual } from '../../json/equal.ts';
import { hasKey, isJsonObject, type JsonObject, type JsonValue } from '../../json/value.ts';
import { compilePattern } from '../pattern.ts';
import type { Comparison } from './comparison.ts';
import { type Loosening, loosening } from './loosening.ts';
import { type Parts, partsOf } from './prepare.ts';
import { atLeast, atMost, said } from './scalar-keywords.ts';
import { fewValues, kindsOf } from './value-space.ts';

/** One comparison of the keywords about objects in one part of the old schema. */
interface ObjectCase {
  readonly old: JsonObject;
  readonly now: Parts;
  readonly pointer: string;
  readonly comparison: Comparison;
}

export function objectLoosenings(old: JsonObject, now: Parts, pointer: string, comparison: Comparison): Loosening[] {
  if (!kindsOf(now).has('object')) return [];
  const one = { old, now, pointer, comparison };
  return [
    ...requiredLoosenings(one),
    ...defaultLoosenings(one),
    ...propertyLoosenings(one),
    ...patternLoosenings(one),
    ...additionalLoosenings(one),
    ...nameLoosenings(one),
    ...countLoosenings(one),
    ...dependentLoosenings(one),
  ];
}

/** What must hold for the value under a key. */
export function valueUnder(parts: Parts, key: string): Parts {
  return parts.flatMap(part => {
    const own = propertyOf(part, key);
    const byPattern = Object.entries(patternsOf(part)).filter(([pattern]) => compilePattern(pattern).test(key));
    if (own === undefined && byPattern.length === 0) return additionalOf(part);
    return [...(own === undefined ? [] : partsOf(own)), ...byPattern.flatMap(([, schema]) => partsOf(schema))];
  });
}

/** Keys without which no object is let through. One with a default is filled in, so it may be left out. */
export function requiredKeys(parts: Parts): ReadonlySet<string> {
  const required = parts.flatMap(part => (Array.isArray(part.required) ? part.required.map(String) : []));
  return new Set(required.filter(key => parts.every(part => defaultOf(part, key) === undefined)));
}

function requiredLoosenings({ old, now, pointer }: ObjectCase): Loosening[] {
  const required = requiredKeys(now);
  return [...requiredKeys([old])]
    .filter(key => !required.has(key))
    .map(key => loosening(`${pointer}/required`, 'required', key));
}

/** A default acts: it decides what is sent for a key that is left out. */
function defaultLoosenings({ old, now, pointer }: ObjectCase): Loosening[] {
  const required = requiredKeys(now);
  const keys = new Set([old, ...now].flatMap(part => Object.keys(propertiesOf(part))));
  return [...keys].flatMap(key => {
    const before = defaultOf(old, key);
    const after = now.map(part => defaultOf(part, key)).find(value => value !== undefined);
    const isSame = before !== undefined && after !== undefined && jsonEqual(before, after);
    if (isSame || (before === undefined && after === undefined) || required.has(key)) return [];
    return [loosening(`${pointerTo(`${pointer}/properties`, key)}/default`, 'default', before, after)];
  });
}

function propertyLoosenings({ old, now, pointer, comparison }: ObjectCase): Loosening[] {
  return Object.entries(propertiesOf(old)).flatMap(([key, schema]) => {
    const place = pointerTo(`${pointer}/properties`, key);
    const value = valueUnder(now, key);
    const found = comparison.loosenings(partsOf(schema), value, place);
    return found.length > 0 && value.length === 0 ? [loosening(place, 'undeclared', schema)] : found;
  });
}

function patternLoosenings({ old, now, pointer, comparison }: ObjectCase): Loosening[] {
  return Object.entries(patternsOf(old)).flatMap(([pattern, schema]) => {
    const place = pointerTo(`${pointer}/patternProperties`, pattern);
    const allowed = partsOf(schema);
    const own = now.flatMap(part => partsOf(patternsOf(part)[pattern]));
    if (now.some(part => hasKey(patternsOf(part), pattern))) return comparison.loosenings(allowed, own, place);
    const test = compilePattern(pattern);
    const values = [
      ...namedKeys(now)
        .filter(key => test.test(key))
        .map(key => valueUnder(now, key)),
      ...now.flatMap(part => Object.values(patternsOf(part)).map(partsOf)),
      now.flatMap(additionalOf),
    ];
    const isKept = values.every(value => comparison.loosenings(allowed, value, place).length === 0);
    return isKept ? [] : [loosening(place, 'patternProperties', schema)];
  });
}

function additionalLoosenings({ old, now, pointer, comparison }: ObjectCase): Loosening[] {
  if (old.additionalProperties === undefined) return [];
  const allowed = additionalOf(old);
  const isKept = (value: Parts) => comparison.loosenings(allowed, value, pointer).length === 0;
  const patterns = Object.keys(patternsOf(old)).map(compilePattern);
  const free = namedKeys(now).filter(
    key => propertyOf(old, key) === undefined && !patterns.some(pattern => pattern.test(key)),
  );
  const byName = free
    .filter(key => !isKept(valueUnder(now, key)))
    .map(key =>
      loosening(pointerTo(`${pointer}/properties`, key), 'properties', undefined, said(now.map(propertiesOf), key)),
    );
  const byPattern = now.flatMap(part =>
    Object.entries(patternsOf(part))
      .filter(([pattern, schema]) => !hasKey(patternsOf(old), pattern) && !isKept(partsOf(schema)))
      .map(([pattern, schema]) =>
        loosening(pointerTo(`${pointer}/patternProperties`, pattern), 'patternProperties', undefined, schema),
      ),
  );
  const others = isKept(now.flatMap(additionalOf))
    ? []
    : [
        loosening(
          `${pointer}/additionalProperties`,
          'additionalProperties',
          old.additionalProperties,
          said(now, 'additionalProperties'),
        ),
      ];
  return [...byName, ...byPattern, ...others];
}

function nameLoosenings({ old, now, pointer, comparison }: ObjectCase): Loosening[] {
  if (old.propertyNames === undefined) return [];
  const allowed = partsOf(old.propertyNames);
  const names = [{ type: 'string' }, ...now.flatMap(part => partsOf(part.propertyNames))];
  if (comparison.loosenings(allowed, names, pointer).length === 0) return [];
  if (isClosed(now) && namedKeys(now).every(key => comparison.accepts(allowed, key))) return [];
  return [loosening(`${pointer}/propertyNames`, 'propertyNames', old.propertyNames, said(now, 'propertyNames'))];
}

function countLoosenings({ old, now, pointer }: ObjectCase): Loosening[] {
  const { minProperties: min, maxProperties: max } = old;
  const keepsMin = min === undefined || requiredKeys(now).size >= Number(min) || atLeast('minProperties')(min, now);
  const keepsMax =
    max === undefined || (isClosed(now) && namedKeys(now).length <= Number(max)) || atMost('maxProperties')(max, now);
  return [
    ...(keepsMin ? [] : [loosening(`${pointer}/minProperties`, 'minProperties', min, said(now, 'minProperties'))]),
    ...(keepsMax ? [] : [loosening(`${pointer}/maxProperties`, 'maxProperties', max, said(now, 'maxProperties'))]),
  ];
}

function dependentLoosenings({ old, now, pointer }: ObjectCase): Loosening[] {
  if (!isJsonObject(old.dependentRequired ?? null)) return [];
  const required = requiredKeys(now);
  const isKept = Object.entries(old.dependentRequired as JsonObject).every(([key, names]) =>
    (names as readonly string[]).every(
      name => required.has(name) || now.some(part => dependentsOf(part, key).includes(name)),
    ),
  );
  if (isKept) return [];
  const found = said(now, 'dependentRequired');
  return [loosening(`${pointer}/dependentRequired`, 'dependentRequired', old.dependentRequired, found)];
}

function dependentsOf(part: JsonObject, key: string): readonly JsonValue[] {
  const all = part.dependentRequired;
  const names = isJsonObject(all ?? null) && hasKey(all as JsonObject, key) ? (all as JsonObject)[key] : undefined;
  return Array.isArray(names) ? names : [];
}

/** Every key that an object may have is named. */
function isClosed(parts: Parts): boolean {
  return parts.every(part => Object.keys(patternsOf(part)).length === 0) && isNever(parts.flatMap(additionalOf));
}

function isNever(parts: Parts): boolean {
  return fewValues(parts)?.length === 0;
}

function namedKeys(parts: Parts): string[] {
  return [...new Set(parts.flatMap(part => Object.keys(propertiesOf(part))))];
}

function propertiesOf(part: JsonObject): JsonObject {
  return isJsonObject(part.properties ?? null) ? (part.properties as JsonObject) : {};
}

function patternsOf(part: JsonObject): JsonObject {
  return isJsonObject(part.patternProperties ?? null) ? (part.patternProperties as JsonObject) : {};
}

function propertyOf(part: JsonObject, key: string): JsonValue | undefined {
  const properties = propertiesOf(part);
  return hasKey(properties, key) ? properties[key] : undefined;
}

function additionalOf(part: JsonObject): Parts {
  return partsOf(part.additionalProperties);
}

function defaultOf(part: JsonObject, key: string): JsonValue | undefined {
  const schema = propertyOf(part, key);
  return isJsonObject(schema ?? null) && hasKey(schema as JsonObject, 'default')
    ? (schema as JsonObject).default
    : undefined;
}
