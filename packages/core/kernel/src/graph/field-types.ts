import { BOOL, DOUBLE, type ExprType, INT, listOf, objectOf, STRING, unionOf } from '../expression/expr-type.ts';
import type { Field, FieldOption } from '../request/field.ts';

/** The type of an accepted answer's `values`. What may be left out, or is asked for only at times, is optional. */
export function typeOfFields(fields: readonly Field[]): ExprType {
  const props = Object.fromEntries(fields.map(field => [field.name, typeOfField(field)]));
  return objectOf(props, { optional: fields.filter(mayBeAbsent).map(field => field.name) });
}

function mayBeAbsent(field: Field): boolean {
  return field.showIf !== undefined || (!field.required && field.default === undefined);
}

function typeOfField(field: Field): ExprType {
  switch (field.type) {
    case 'number':
    case 'slider':
      return field.step === 1 ? INT : DOUBLE;
    case 'boolean':
      return BOOL;
    case 'select':
    case 'radio':
      return typeOfOptions(field.options);
    case 'multiselect':
      return listOf(typeOfOptions(field.options));
    case 'checkbox':
      return field.options === undefined ? BOOL : listOf(typeOfOptions(field.options));
    default:
      return STRING;
  }
}

/** No options written down: they are known when the question is opened. */
function typeOfOptions(options: readonly FieldOption[]): ExprType {
  return unionOf(options.map(({ value }) => typeOfOption(value)));
}

function typeOfOption(value: FieldOption['value']): ExprType {
  if (typeof value === 'string') return { kind: 'string', values: [value] };
  if (typeof value === 'boolean') return BOOL;
  return Number.isInteger(value) ? INT : DOUBLE;
}
