import { jsonEqual } from '../json/equal.ts';
import type { JsonValue } from '../json/value.ts';

/**
 * Whether an argument is what it is bound to: equal to it, a member of it, or a list of members of it. An argument that is
 * not there and an empty list are neither: left open, a tool may take them for everything.
 */
export function isBound(argument: JsonValue | undefined, to: JsonValue): boolean {
  if (argument === undefined) return false;
  if (jsonEqual(argument, to)) return true;
  if (!Array.isArray(to)) return false;
  const isMember = (value: JsonValue) => to.some(member => jsonEqual(value, member));
  return isMember(argument) || (Array.isArray(argument) && argument.length > 0 && argument.every(isMember));
}
