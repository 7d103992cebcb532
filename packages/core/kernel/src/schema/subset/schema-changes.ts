import type { JsonObject, JsonValue } from '../../json/value.ts';
import type { Loosening } from './loosening.ts';
import { loosenings } from './loosenings.ts';

/** One place at which a schema lets through more, or less, than it did. */
export interface SchemaChange {
  /** JSON pointer into the schema, references followed. */
  readonly pointer: string;
  readonly widens: boolean;
  /** A sentence's beginning in lower case, without its full stop. */
  readonly message: string;
}

/**
 * What changed between two JSON Schemas. A place counts as widened unless it can be shown that it lets through no more
 * than before. Empty where both let through the same, however they are written.
 */
export function schemaChanges(from: JsonObject, to: JsonObject): readonly SchemaChange[] {
  const widened = loosenings(from, to);
  const places = new Set(widened.map(placeOf));
  const narrowed = loosenings(to, from).filter(one => !places.has(placeOf(one)));
  return [
    ...widened.map(one => ({ pointer: one.pointer, widens: true, message: wording(one, one.kept, one.found, true) })),
    ...narrowed.map(one => ({
      pointer: one.pointer,
      widens: false,
      message: wording(one, one.found, one.kept, false),
    })),
  ];
}

/** A choice of values and the bounds of the same value speak of one place. */
function placeOf({ pointer, keyword }: Loosening): string {
  const place = pointer.endsWith(`/${keyword}`) ? pointer.slice(0, -keyword.length - 1) : pointer;
  return keyword === 'required' || keyword === 'properties' || keyword === 'undeclared'
    ? `${place} ${keyword}`
    : `${place} ${keyword === 'const' ? 'enum' : keyword}`;
}

function wording({ keyword, pointer, kept, found }: Loosening, was: Said, is: Said, widens: boolean): string {
  const name = nameAt(pointer);
  switch (keyword) {
    case 'required':
      return `${quoted(String(kept))} ${widens ? 'may be left out' : 'must be given'}`;
    case 'properties':
      return `${name} ${widens ? 'may be given' : 'may no longer be given'}`;
    case 'undeclared':
      return `${name} ${widens ? 'may be anything' : 'is checked'}`;
    case 'enum':
      if (kept === undefined) return `${widens ? 'may be' : 'may no longer be'} ${shown(found)}`;
      return widens ? `may be more than ${shown(kept)}` : `may only be ${shown(kept)}`;
    case 'default':
      return `${nameAt(pointer.slice(0, -'/default'.length))} left out ${is === undefined ? 'stays absent' : `is sent as ${shown(is)}`}`;
    case '$ref':
      return 'it cannot be shown to let through no more than before';
    default:
      return `\`${keyword}\` ${changed(was, is)}${widens && UNPROVEN.has(keyword) ? ', which cannot be shown to let through no more' : ''}`;
  }
}

type Said = JsonValue | undefined;

const UNPROVEN: ReadonlySet<string> = new Set([
  ...['pattern', 'anyOf', 'oneOf', 'not', 'if', 'contains', 'propertyNames', 'patternProperties'],
  ...['dependentSchemas', 'unevaluatedProperties', 'unevaluatedItems'],
]);

function changed(was: Said, is: Said): string {
  if (was === undefined) return `is ${shown(is)}`;
  return is === undefined ? `${shown(was)} is gone` : `was ${shown(was)} and is ${shown(is)}`;
}

const LONGEST = 80;

function shown(value: Said): string {
  const text = Array.isArray(value)
    ? value.map(item => JSON.stringify(item)).join(', ')
    : JSON.stringify(value ?? null);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
}

function nameAt(pointer: string): string {
  return quoted(
    pointer
      .slice(pointer.lastIndexOf('/') + 1)
      .replaceAll('~1', '/')
      .replaceAll('~0', '~'),
  );
}

function quoted(name: string): string {
  return `\`${name}\``;
}
