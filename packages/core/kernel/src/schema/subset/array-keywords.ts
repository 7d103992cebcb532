import { pointerTo } from '../../error/fault.ts';
import type { JsonObject, JsonValue } from '../../json/value.ts';
import type { Comparison } from './comparison.ts';
import { type Loosening, loosening } from './loosening.ts';
import { type Parts, partsOf } from './prepare.ts';
import { atLeast, said } from './scalar-keywords.ts';
import { kindsOf, least } from './value-space.ts';

export function arrayLoosenings(old: JsonObject, now: Parts, pointer: string, comparison: Comparison): Loosening[] {
  if (!kindsOf(now).has('array')) return [];
  const longest = longestOf(now);
  return [
    ...itemLoosenings(old, now, pointer, comparison),
    ...(old.minItems === undefined || atLeast('minItems')(old.minItems, now) ? [] : [changed('minItems')]),
    ...(old.maxItems === undefined || longest <= Number(old.maxItems) ? [] : [changed('maxItems')]),
    ...(old.uniqueItems !== true || longest <= 1 || now.some(part => part.uniqueItems === true)
      ? []
      : [changed('uniqueItems')]),
  ];

  function changed(keyword: string): Loosening {
    return loosening(`${pointer}/${keyword}`, keyword, old[keyword], said(now, keyword));
  }
}

function itemLoosenings(old: JsonObject, now: Parts, pointer: string, comparison: Comparison): Loosening[] {
  const longest = longestOf(now);
  const first = prefixOf(old);
  const found = first.flatMap((schema, index) =>
    index < longest
      ? comparison.loosenings(partsOf(schema), itemAt(now, index), pointerTo(`${pointer}/prefixItems`, index))
      : [],
  );
  if (old.items === undefined) return found;
  const rest = Math.max(first.length, ...now.map(part => prefixOf(part).length));
  for (let index = first.length; index <= rest && index < longest; index++) {
    found.push(...comparison.loosenings(partsOf(old.items), itemAt(now, index), `${pointer}/items`));
  }
  return found;
}

/** Of a place behind every prefix, all later ones are like it. */
function itemAt(parts: Parts, index: number): Parts {
  return parts.flatMap(part => {
    const prefix = prefixOf(part);
    return partsOf(index < prefix.length ? prefix[index] : part.items);
  });
}

function prefixOf(part: JsonObject): readonly JsonValue[] {
  return Array.isArray(part.prefixItems) ? part.prefixItems : [];
}

function longestOf(parts: Parts): number {
  const closed = parts.filter(part => part.items === false).map(part => prefixOf(part).length);
  return Math.min(least(parts, 'maxItems') ?? Number.POSITIVE_INFINITY, ...closed);
}
