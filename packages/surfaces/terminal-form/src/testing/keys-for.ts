import type { Field, JsonValue } from '@signalbox/kernel';
import { CTRL_D, CTRL_X, DOWN, ENTER, HOME, RIGHT, SPACE } from './virtual-terminal.ts';

/**
 * The keys that a person presses to give a value; undefined is no answer.
 * @param standing what is in the field already
 */
export function keysFor(field: Field, value: JsonValue | undefined, standing: JsonValue | undefined): string {
  switch (field.type) {
    case 'select':
    case 'radio':
      return oneKeys(
        field,
        field.options.map(option => option.value),
        value,
        standing,
      );
    case 'boolean':
      return oneKeys(field, [true, false], value, standing);
    case 'checkbox':
    case 'multiselect':
      if (field.options === undefined) return oneKeys(field, [true, false], value, standing);
      return manyKeys(
        field.options.map(option => option.value),
        value as JsonValue[] | undefined,
        standing as JsonValue[] | undefined,
      );
    case 'slider':
      return sliderKeys(field, value as number | undefined, standing);
    case 'textarea':
      return linesKeys(value as string | undefined, standing);
    default:
      return textKeys(value as string | number | undefined, standing) + ENTER;
  }
}

function textKeys(value: string | number | undefined, standing: JsonValue | undefined): string {
  const cleared = standing === undefined ? '' : CTRL_X;
  if (value === undefined) return cleared;
  return cleared + (value === '' ? CTRL_X : String(value));
}

/** Enter in a field without an answer leaves it so; after Ctrl-X it begins a line. */
function linesKeys(value: string | undefined, standing: JsonValue | undefined): string {
  const begun = value?.startsWith('\n') === true ? textKeys('', standing) + value : textKeys(value, standing);
  return begun.replaceAll('\n', ENTER) + CTRL_D;
}

function oneKeys(
  field: Field,
  values: readonly JsonValue[],
  value: JsonValue | undefined,
  standing: JsonValue | undefined,
): string {
  const isOptional = !field.required && field.default === undefined;
  const list: readonly (JsonValue | undefined)[] = isOptional ? [undefined, ...values] : values;
  const wanted = value === undefined && !isOptional ? field.default : value;
  const from = Math.max(0, list.indexOf(standing));
  const steps = list.indexOf(wanted) - from;
  return (steps < 0 ? HOME + DOWN.repeat(list.indexOf(wanted)) : DOWN.repeat(steps)) + ENTER;
}

function manyKeys(
  values: readonly JsonValue[],
  wanted: readonly JsonValue[] | undefined,
  standing: readonly JsonValue[] | undefined,
): string {
  if (wanted === undefined) return (standing === undefined ? '' : CTRL_X) + ENTER;
  if (wanted.length === 0 && standing === undefined) return CTRL_X + ENTER;
  const toggles = values.map(value => (wanted.includes(value) === (standing?.includes(value) ?? false) ? '' : SPACE));
  return toggles.join(DOWN) + ENTER;
}

/** By arrow keys where there are few steps, else as digits. */
function sliderKeys(
  { step, min, max }: { readonly step?: number; readonly min?: number; readonly max?: number },
  value: number | undefined,
  standing: JsonValue | undefined,
): string {
  if (min === undefined || max === undefined) return textKeys(value, standing) + ENTER;
  if (value === undefined) return (standing === undefined ? '' : CTRL_X) + ENTER;
  if (step === undefined) return String(value) + ENTER;
  const count = Math.round(value / step) - Math.ceil(min / step - 1e-9);
  return count > 40 ? String(value) + ENTER : HOME + RIGHT.repeat(count) + ENTER;
}
