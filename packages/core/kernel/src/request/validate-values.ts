import { pointerTo } from '../error/fault.ts';
import { hasKey, type JsonObject, type JsonValue } from '../json/value.ts';
import { closest } from '../schema/closest.ts';
import { createIssue, type Issue } from '../schema/issue.ts';
import type { Field } from './field.ts';
import { storedValue, validateValue } from './validate-value.ts';

export interface ValuesOptions {
  /** IANA zone in which local dates and times are read. */
  readonly zone: string;
  /**
   * Whether a field with `showIf` is asked for, given the values so far; must not throw. Without it every field is shown.
   */
  readonly isShown?: (field: Field, values: JsonObject) => boolean;
}

export type ValuesResult =
  | { readonly ok: true; readonly values: JsonObject }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/**
 * Holds the values of an answer against the fields of its form, all at once. Presence is decided by key: a key that is
 * there is a value (`false`, 0, `''` and `[]` are), and `null` is none: it is refused (`null`) and never stands for the
 * default. An absent key takes the default, or is `required`. Values are stored unchanged, except that a local date and
 * time becomes an instant (see `DateField`).
 *
 * `showIf` sees the values given and the defaults of the fields before it, without those of hidden fields. A hidden field
 * is not required, takes no default, and a value for it is refused (`hiddenField`).
 */
export function validateValues(fields: readonly Field[], values: JsonObject, options: ValuesOptions): ValuesResult {
  const issues: Issue[] = [];
  const stored: [string, JsonValue][] = [];
  const seen = new Map(Object.entries(values));
  for (const field of fields) {
    const given = hasKey(values, field.name);
    const pointer = pointerTo('', field.name);
    if (!isAskedFor(field, seen, options)) {
      seen.delete(field.name);
      if (given) issues.push(createIssue(pointer, 'hiddenField'));
      continue;
    }
    const value = given ? values[field.name]! : field.default;
    if (value === undefined) {
      if (field.required) issues.push(createIssue(pointer, 'required'));
      continue;
    }
    seen.set(field.name, value);
    const found = given ? validateValue(field, value, pointer, options.zone) : [];
    issues.push(...found);
    if (found.length === 0) stored.push([field.name, storedValue(field, value, options.zone)]);
  }
  issues.push(...unknownFields(fields, values));
  return issues.length === 0 ? { ok: true, values: Object.fromEntries(stored) } : { ok: false, issues };
}

function isAskedFor(field: Field, seen: ReadonlyMap<string, JsonValue>, options: ValuesOptions): boolean {
  if (field.showIf === undefined || options.isShown === undefined) return true;
  return options.isShown(field, Object.fromEntries(seen));
}

function unknownFields(fields: readonly Field[], values: JsonObject): Issue[] {
  const names = new Set(fields.map(field => field.name));
  return Object.keys(values)
    .filter(key => !names.has(key))
    .map(key => {
      const suggestion = closest(key, names);
      return createIssue(pointerTo('', key), 'unknownField', suggestion === undefined ? {} : { suggestion });
    });
}
