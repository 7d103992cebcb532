import { canonicalJson } from '../../json/canonical.ts';
import type { JsonObject, JsonValue } from '../../json/value.ts';
import type { Comparison } from './comparison.ts';
import { type Loosening, loosening } from './loosening.ts';
import { type Parts, partsOf } from './prepare.ts';
import { said } from './scalar-keywords.ts';

/** Keywords that are kept where they stand unchanged, alone or with those that they work together with. */
const KEPT_WHOLE: readonly (readonly string[])[] = [
  ['if', 'then', 'else'],
  ['contains', 'minContains', 'maxContains'],
  ['dependentSchemas'],
];

/** What these see depends on all that stands beside them, so only an unchanged part keeps them. */
const OF_THE_WHOLE_PART: readonly string[] = ['unevaluatedProperties', 'unevaluatedItems'];

export function choiceLoosenings(old: JsonObject, now: Parts, pointer: string, comparison: Comparison): Loosening[] {
  const changed = (keyword: string) => loosening(`${pointer}/${keyword}`, keyword, old[keyword], said(now, keyword));
  return [
    ...(keepsAny(old, now, comparison) ? [] : [changed('anyOf')]),
    ...(keepsOne(old, now, comparison) ? [] : [changed('oneOf')]),
    ...(keepsNot(old, now, comparison) ? [] : [changed('not')]),
    ...KEPT_WHOLE.filter(keywords => !keepsWhole(old, now, keywords)).map(([keyword]) => changed(keyword!)),
    ...OF_THE_WHOLE_PART.filter(keyword => old[keyword] !== undefined).map(changed),
  ];
}

function keepsAny(old: JsonObject, now: Parts, comparison: Comparison): boolean {
  if (!Array.isArray(old.anyOf) || isSaid(now, 'anyOf', old.anyOf)) return true;
  return old.anyOf.some(branch => isWithin(now, branch, comparison));
}

function keepsOne(old: JsonObject, now: Parts, comparison: Comparison): boolean {
  if (!Array.isArray(old.oneOf) || isSaid(now, 'oneOf', old.oneOf)) return true;
  const branches: readonly JsonValue[] = old.oneOf;
  return branches.some(
    (branch, index) =>
      isWithin(now, branch, comparison) &&
      branches.every((other, at) => at === index || comparison.areDisjoint(partsOf(other), now)),
  );
}

/** What the old one excludes, the new one must: its exclusion is the same or a larger one. */
function keepsNot(old: JsonObject, now: Parts, comparison: Comparison): boolean {
  if (old.not === undefined) return true;
  const excluded = partsOf(old.not);
  if (comparison.areDisjoint(excluded, now)) return true;
  return now.some(
    part => part.not !== undefined && comparison.loosenings(partsOf(part.not), excluded, '').length === 0,
  );
}

function keepsWhole(old: JsonObject, now: Parts, keywords: readonly string[]): boolean {
  if (old[keywords[0]!] === undefined) return true;
  const wanted = textOf(old, keywords);
  return now.some(part => textOf(part, keywords) === wanted);
}

function isWithin(now: Parts, branch: JsonValue, comparison: Comparison): boolean {
  return comparison.loosenings(partsOf(branch), now, '').length === 0;
}

function isSaid(now: Parts, keyword: string, value: JsonValue): boolean {
  const wanted = canonicalJson(value);
  return now.some(part => part[keyword] !== undefined && canonicalJson(part[keyword]) === wanted);
}

function textOf(part: JsonObject, keywords: readonly string[]): string {
  return canonicalJson(keywords.map(keyword => part[keyword] ?? null));
}
