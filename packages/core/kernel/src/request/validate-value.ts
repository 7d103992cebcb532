import { pointerTo } from '../error/fault.ts';
import type { JsonValue } from '../json/value.ts';
import { createIssue, type Issue, kindOf } from '../schema/issue.ts';
import { compilePattern } from '../schema/pattern.ts';
import { isCalendarDate } from '../time/instant.ts';
import { isMultipleOf } from './decimal.ts';
import type { ChoiceField, DateField, Field, ManyField, NumberField, TextField } from './field.ts';
import { readDateTimeIn } from './read-datetime.ts';

/**
 * What is wrong with a value given for a field, all at once; none when it may be stored. Types are never coerced.
 * `zone` reads local times. `required` and `showIf` are not looked at: the value is there.
 */
export function validateValue(field: Field, value: JsonValue, pointer: string, zone: string): Issue[] {
  if (value === null) return [createIssue(pointer, 'null')];
  switch (field.type) {
    case 'text':
    case 'textarea':
      return typeof value === 'string' ? textIssues(field, value, pointer) : [wrongType(pointer, 'string', value)];
    case 'number':
    case 'slider':
      return typeof value === 'number' ? numberIssues(field, value, pointer) : [wrongType(pointer, 'number', value)];
    case 'date':
    case 'datetime':
      return typeof value === 'string'
        ? dateIssues(field, value, pointer, zone)
        : [wrongType(pointer, 'string', value)];
    case 'select':
    case 'radio':
      return choiceIssues(field, value, pointer);
    default:
      if (field.options !== undefined) return manyIssues(field, value, pointer);
      return typeof value === 'boolean' ? [] : [wrongType(pointer, 'boolean', value)];
  }
}

/** A valid value as it is stored: unchanged, but for a local date and time, which becomes an instant. */
export function storedValue(field: Field, value: JsonValue, zone: string): JsonValue {
  if (field.type !== 'datetime' || typeof value !== 'string') return value;
  return readDateTimeIn(value, zone)?.stored ?? value;
}

function wrongType(pointer: string, type: string, value: JsonValue): Issue {
  return createIssue(pointer, 'type', { type, got: kindOf(value) });
}

function textIssues(field: TextField, value: string, pointer: string): Issue[] {
  const issues: Issue[] = [];
  const length = codePoints(value);
  if (field.min !== undefined && length < field.min)
    issues.push(createIssue(pointer, 'minLength', { limit: field.min }));
  if (field.max !== undefined && length > field.max)
    issues.push(createIssue(pointer, 'maxLength', { limit: field.max }));
  if (field.pattern !== undefined && !compilePattern(field.pattern).test(value)) {
    issues.push(createIssue(pointer, 'pattern', { pattern: field.pattern }));
  }
  return issues;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function numberIssues(field: NumberField, value: number, pointer: string): Issue[] {
  if (!Number.isFinite(value)) return [createIssue(pointer, 'type', { type: 'number' })];
  const issues: Issue[] = [];
  if (field.min !== undefined && value < field.min) issues.push(createIssue(pointer, 'minimum', { limit: field.min }));
  if (field.max !== undefined && value > field.max) issues.push(createIssue(pointer, 'maximum', { limit: field.max }));
  if (field.step !== undefined && !isMultipleOf(value, field.step)) {
    issues.push(createIssue(pointer, 'multipleOf', { multipleOf: field.step }));
  }
  return issues;
}

function dateIssues(field: DateField, value: string, pointer: string, zone: string): Issue[] {
  const place = positionOf(field, value, zone);
  if (place === undefined) {
    return [createIssue(pointer, 'format', { format: field.type === 'date' ? 'date' : 'local-date-time' })];
  }
  const issues: Issue[] = [];
  const [min, max] = [boundOf(field, field.min, zone), boundOf(field, field.max, zone)];
  if (min !== undefined && place < min) issues.push(createIssue(pointer, 'minimum', { limit: field.min! }));
  if (max !== undefined && place > max) issues.push(createIssue(pointer, 'maximum', { limit: field.max! }));
  return issues;
}

function boundOf(field: DateField, bound: string | undefined, zone: string): number | string | undefined {
  return bound === undefined ? undefined : positionOf(field, bound, zone);
}

/** Something that orders the values of a field; undefined for what is none. Days in four-digit years order as texts. */
export function positionOf(field: Pick<DateField, 'type'>, text: string, zone: string): number | string | undefined {
  if (field.type === 'date') return isCalendarDate(text) ? text : undefined;
  return readDateTimeIn(text, zone)?.ms;
}

function choiceIssues(field: ChoiceField, value: JsonValue, pointer: string): Issue[] {
  return field.options.some(option => option.value === value) ? [] : [notAMember(field, pointer)];
}

function notAMember(field: ChoiceField | ManyField, pointer: string): Issue {
  return createIssue(pointer, 'enum', { allowedValues: field.options.map(option => option.value) });
}

function manyIssues(field: ManyField, value: JsonValue, pointer: string): Issue[] {
  if (!Array.isArray(value)) return [wrongType(pointer, 'array', value)];
  const members: readonly JsonValue[] = value;
  const issues = members.flatMap((member, index) =>
    field.options.some(option => option.value === member) ? [] : [notAMember(field, pointerTo(pointer, index))],
  );
  const { min, max } = field;
  if (min !== undefined && members.length < min) issues.push(createIssue(pointer, 'minItems', { limit: min }));
  if (max !== undefined && members.length > max) issues.push(createIssue(pointer, 'maxItems', { limit: max }));
  if (new Set(members).size < members.length) issues.push(createIssue(pointer, 'uniqueItems'));
  return issues;
}
