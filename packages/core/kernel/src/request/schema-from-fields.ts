import type { JsonObject, JsonValue } from '../json/value.ts';
import { isDateTime } from '../time/instant.ts';
import type { DateField, Field, FieldOption, NumberField } from './field.ts';

/**
 * What JSON Schema has no word for stands under this key, for the reader of the schema and the way back: `type` where the
 * schema does not tell it, `unit`, `placeholder`, `showIf`, `min` and `max` of local times, and `required` of a field
 * with `showIf`, which the schema itself cannot require.
 */
export const FIELD_HINTS = 'x-signalbox';

/**
 * The JSON Schema 2020-12 of the values of a form. It accepts what `validateValues` accepts, except that it knows
 * nothing of `showIf` and takes no local times. Labels are titles; options with labels of their own are a `oneOf` of
 * constants. Dates are bounded with `formatMinimum` and `formatMaximum` (ajv-formats).
 */
export function schemaFromFields(fields: readonly Field[]): JsonObject {
  const required = fields.filter(field => field.required && field.showIf === undefined).map(field => field.name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(field => [field.name, propertyOf(field)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function propertyOf(field: Field): JsonObject {
  const hints = hintsOf(field);
  return {
    ...(field.label === field.name ? {} : { title: field.label }),
    ...optional('description', field.description),
    ...boundsOf(field),
    ...optional('default', field.default),
    ...(Object.keys(hints).length === 0 ? {} : { [FIELD_HINTS]: hints }),
  };
}

function optional(key: string, value: JsonValue | undefined): JsonObject {
  return value === undefined ? {} : { [key]: value };
}

function boundsOf(field: Field): JsonObject {
  switch (field.type) {
    case 'text':
    case 'textarea':
      return {
        type: 'string',
        ...optional('minLength', field.min),
        ...optional('maxLength', field.max),
        ...optional('pattern', field.pattern),
      };
    case 'number':
    case 'slider':
      return numberBounds(field);
    case 'date':
    case 'datetime':
      return dateBounds(field);
    case 'select':
    case 'radio':
      return membersOf(field.options);
    default:
      if (field.options === undefined) return { type: 'boolean' };
      return {
        type: 'array',
        items: membersOf(field.options),
        uniqueItems: true,
        ...optional('minItems', field.min),
        ...optional('maxItems', field.max),
      };
  }
}

function numberBounds(field: NumberField): JsonObject {
  const { min, max, step } = field;
  return {
    type: step === 1 ? 'integer' : 'number',
    ...optional('minimum', min),
    ...optional('maximum', max),
    ...(step === 1 ? {} : optional('multipleOf', step)),
  };
}

function dateBounds(field: DateField): JsonObject {
  return {
    type: 'string',
    format: field.type === 'date' ? 'date' : 'date-time',
    ...(isFixed(field, field.min) ? optional('formatMinimum', field.min) : {}),
    ...(isFixed(field, field.max) ? optional('formatMaximum', field.max) : {}),
  };
}

/** A local time is an instant in a zone only, and JSON Schema has none. */
function isFixed(field: DateField, bound: string | undefined): boolean {
  return bound !== undefined && (field.type === 'date' || isDateTime(bound));
}

/** Options that are not known yet (`options: []`) bound nothing but the type of a value. */
function membersOf(options: readonly FieldOption[]): JsonObject {
  if (options.length === 0) return { type: ['string', 'number', 'boolean'] };
  if (options.every(option => option.label === String(option.value) && option.description === undefined)) {
    return { enum: options.map(option => option.value) };
  }
  const oneOf = options.map(({ value, label, description }) => ({
    const: value,
    title: label,
    ...optional('description', description),
  }));
  return { oneOf };
}

/** The type that `fieldsFromSchema` reads from the bounds alone. */
const PLAIN: Readonly<Record<Field['type'], Field['type']>> = {
  text: 'text',
  textarea: 'text',
  select: 'select',
  radio: 'select',
  multiselect: 'multiselect',
  checkbox: 'multiselect',
  number: 'number',
  slider: 'number',
  date: 'date',
  datetime: 'datetime',
  boolean: 'boolean',
};

function hintsOf(field: Field): JsonObject {
  const local = field.type === 'datetime' ? field : undefined;
  return {
    ...(PLAIN[field.type] === field.type ? {} : { type: field.type }),
    ...('placeholder' in field ? optional('placeholder', field.placeholder) : {}),
    ...('unit' in field ? optional('unit', field.unit) : {}),
    ...optional('showIf', field.showIf),
    ...(field.showIf !== undefined && field.required ? { required: true } : {}),
    ...(local !== undefined && !isFixed(local, local.min) ? optional('min', local.min) : {}),
    ...(local !== undefined && !isFixed(local, local.max) ? optional('max', local.max) : {}),
  };
}
