import { type Fault, pointerTo } from '../error/fault.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { findRef, hasInnerBase, hasOwnBase } from './refs.ts';

export const REFERENCES: readonly string[] = ['$ref', '$dynamicRef', '$recursiveRef'];

export function isReference(keyword: string): boolean {
  return REFERENCES.includes(keyword);
}

export function checkTarget(ref: string, pointer: string, root: JsonObject): Fault[] {
  if (hasInnerBase(root) || (hasOwnBase(root) && !ref.startsWith('#'))) return [];
  if (findRef(root, ref) !== undefined) return [];
  const hint = 'A `$ref` points into the same schema, as in #/$defs/address.';
  return [fault(pointer, `\`${ref}\` leads to no schema here.`, hint)];
}

/** Anchors that two parts of a schema have, so that a reference may mean either. */
export function checkAnchors(root: JsonObject, pointer: string): Fault[] {
  return hasInnerBase(root) ? [] : repeated(root, pointer, new Set());
}

/** Values are no schemas, whatever their keys. */
const VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'default']);

function repeated(value: JsonValue, pointer: string, known: Set<string>): Fault[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => repeated(item, pointerTo(pointer, index), known));
  if (!isJsonObject(value)) return [];
  const own = ['$anchor', '$dynamicAnchor'].flatMap(keyword => {
    const name = value[keyword];
    if (typeof name !== 'string') return [];
    if (!known.has(name)) {
      known.add(name);
      return [];
    }
    const hint = 'Give each its own name, so that a reference leads to one of them.';
    return [fault(pointerTo(pointer, keyword), `The anchor \`${name}\` stands at two places.`, hint)];
  });
  const members = Object.entries(value).filter(([keyword]) => !VALUES.has(keyword));
  return [...own, ...members.flatMap(([key, member]) => repeated(member, pointerTo(pointer, key), known))];
}

function fault(pointer: string, message: string, hint: string): Fault {
  return { code: 'InvalidSchema', severity: 'error', pointer, message, hint };
}
