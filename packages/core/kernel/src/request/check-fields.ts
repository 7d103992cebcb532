import { type Fault, pointerTo } from '../error/fault.ts';
import { isJsonObject, type JsonValue } from '../json/value.ts';
import { isValidZone } from '../time/instant.ts';
import { checkField, type FieldChecks } from './check-field.ts';
import { type Field, MOST_FIELDS } from './field.ts';
import { errorAt } from './member-reader.ts';

/**
 * Reads the written fields of a form, and finds all that is wrong with them at once, each at its JSON pointer below
 * `pointer`. The fields are fit for use when no fault is an error; a field too broken to be read is left out.
 *
 * Codes: `InvalidField` (a member of the wrong kind), `MissingKey`, `UnknownKey`, `UnknownFieldType`, `InvalidName`,
 * `DuplicateName`, `DangerousKey`, `TextWanted`, `NoOptions`, `DuplicateOption`, `EmptyRange`, `InvalidStep`,
 * `InvalidPattern`, `DefaultOutOfBounds`, `TooManyFields`.
 */
export function checkFields(
  fields: unknown,
  pointer: string,
  checks: FieldChecks = {},
): { fields: Field[]; faults: Fault[] } {
  if (!Array.isArray(fields)) {
    return { fields: [], faults: [errorAt(pointer, 'InvalidField', 'Fields must be a list.')] };
  }
  const zone = checks.zone !== undefined && isValidZone(checks.zone) ? checks.zone : 'UTC';
  const faults: Fault[] = [];
  const read: Field[] = [];
  const firstPlace = new Map<string, number>();
  if (fields.length > MOST_FIELDS) {
    faults.push(errorAt(pointer, 'TooManyFields', `A form has at most ${MOST_FIELDS} fields, not ${fields.length}.`));
  }
  (fields as readonly JsonValue[]).forEach((source, index) => {
    const place = pointerTo(pointer, index);
    if (!isJsonObject(source)) {
      faults.push(errorAt(place, 'InvalidField', 'A field must be an object.'));
      return;
    }
    const result = checkField(source, place, { ...checks, zone });
    faults.push(...result.faults, ...checkDistinct(source.name, index, place, firstPlace));
    if (result.field !== undefined) read.push(result.field);
  });
  return { fields: read, faults };
}

function checkDistinct(name: unknown, index: number, place: string, firstPlace: Map<string, number>): Fault[] {
  if (typeof name !== 'string') return [];
  const first = firstPlace.get(name);
  if (first === undefined) {
    firstPlace.set(name, index);
    return [];
  }
  const message = `The name "${name}" is taken by field ${first + 1}.`;
  return [errorAt(pointerTo(place, 'name'), 'DuplicateName', message)];
}
