import { canonicalJson } from '../../json/canonical.ts';
import type { JsonObject, JsonValue } from '../../json/value.ts';
import { compileWithAjv } from '../ajv.ts';
import { copyJson, mentions } from '../copy-json.ts';
import { normalizedSchema } from '../normalize.ts';
import { arrayLoosenings } from './array-keywords.ts';
import { choiceLoosenings } from './choice-keywords.ts';
import type { Comparison } from './comparison.ts';
import { type Loosening, loosening } from './loosening.ts';
import { objectLoosenings, requiredKeys, valueUnder } from './object-keywords.ts';
import { NEVER, type Parts, partsOf, prepare } from './prepare.ts';
import { scalarLoosenings } from './scalar-keywords.ts';
import { fewValues, type Kind, kindsOf } from './value-space.ts';

/**
 * The constraints of one JSON Schema that another cannot be shown to keep, each with its place. None means: whatever
 * `now` lets through, `old` lets through. Sound and not complete: a pattern is kept by the same pattern alone, and what
 * is not understood is told as loosened.
 */
export function loosenings(old: JsonObject, now: JsonObject): readonly Loosening[] {
  if (canonicalJson(normalizedSchema(old)) === canonicalJson(normalizedSchema(now))) return [];
  const before = prepare(old);
  const after = prepare(now);
  if (before === undefined || after === undefined) return [loosening('', '$ref')];
  return new SchemaComparison().loosenings(partsOf(before), partsOf(after), '');
}

/** Choices inside choices multiply; beyond this nothing more is shown. */
const MOST_STEPS = 20_000;

class SchemaComparison implements Comparison {
  #steps = 0;

  /**
   * A value that `now` lets through meets all its parts, so a constraint kept by one of them is kept. What `now` alone
   * does not show, each of its alternatives may: it lets through no more than all of them together.
   */
  loosenings(old: Parts, now: Parts, pointer: string): readonly Loosening[] {
    if (old.length === 0) return [];
    this.#steps++;
    if (this.#steps > MOST_STEPS) return [loosening(pointer, 'anyOf')];
    const few = fewValues(now);
    if (few !== undefined) return this.#ofValues(old, few, pointer);
    const found = changedParts(old, now).flatMap(part => this.#ofPart(part, now, pointer));
    if (found.length === 0) return [];
    const alternatives = alternativesOf(old, now);
    const isShown = alternatives?.every(one => this.loosenings(old, one, pointer).length === 0);
    return isShown ? [] : found;
  }

  accepts(parts: Parts, value: JsonValue): boolean {
    const check = compileWithAjv({ allOf: parts.map(part => (part === NEVER ? false : part)) });
    return check(copyJson(value)) === undefined;
  }

  areDisjoint(a: Parts, b: Parts): boolean {
    const kinds = kindsOf(b);
    const common = [...kindsOf(a)].filter(kind => kinds.has(kind));
    if (common.length === 0) return true;
    if (fewValues(a)?.every(value => !this.accepts(b, value))) return true;
    if (fewValues(b)?.every(value => !this.accepts(a, value))) return true;
    if (common.some(kind => kind !== 'object')) return false;
    const keys = new Set([...requiredKeys(a), ...requiredKeys(b)]);
    return [...keys].some(key => this.areDisjoint(valueUnder(a, key), valueUnder(b, key)));
  }

  #ofValues(old: Parts, few: readonly JsonValue[], pointer: string): Loosening[] {
    const refused = few.filter(value => !this.accepts(old, value));
    return refused.length === 0 ? [] : [loosening(pointer, 'enum', undefined, refused)];
  }

  #ofPart(old: JsonObject, now: Parts, pointer: string): Loosening[] {
    return [
      ...scalarLoosenings(old, now, pointer),
      ...objectLoosenings(old, now, pointer, this),
      ...arrayLoosenings(old, now, pointer, this),
      ...choiceLoosenings(old, now, pointer, this),
    ];
  }
}

/**
 * Parts that do not stand in `now` as they were. One that looks at what its neighbours saw is unchanged only with all of
 * them, and so is one whose missing keys a neighbour may fill in.
 */
function changedParts(old: Parts, now: Parts): Parts {
  const kept = new Set(now.map(part => canonicalJson(part)));
  const changed = old.filter(part => !kept.has(canonicalJson(part)));
  if (changed.length === 0 && old.length === now.length) return [];
  const isBound = (part: JsonObject) => mentions(part, 'unevaluatedProperties') || mentions(part, 'unevaluatedItems');
  const isFilled = now.length > 1 && now.some(part => mentions(part, 'default'));
  return isFilled ? old : old.filter(part => changed.includes(part) || isBound(part));
}

/** Schemas that together let through all that `now` does: by its first choice, else by type where `old` has choices. */
function alternativesOf(old: Parts, now: Parts): readonly Parts[] | undefined {
  for (const [index, part] of now.entries()) {
    for (const keyword of ['anyOf', 'oneOf']) {
      const { [keyword]: choices, ...rest } = part;
      if (!Array.isArray(choices)) continue;
      return choices.map(choice => [...now.slice(0, index), rest, ...now.slice(index + 1), ...partsOf(choice)]);
    }
  }
  const kinds = [...kindsOf(now)];
  const hasChoice = old.some(part => part.anyOf !== undefined || part.oneOf !== undefined);
  if (!hasChoice || kinds.length < 2 || isOneType(kinds)) return undefined;
  const types = new Set(kinds.map(kind => (kind === 'fraction' ? 'number' : kind)));
  if (types.has('number')) types.delete('integer');
  return [...types].map(type => [...now, { type }]);
}

function isOneType(kinds: readonly Kind[]): boolean {
  return kinds.every(kind => kind === 'integer' || kind === 'fraction');
}
