import { hasKey, type JsonObject, type JsonValue } from '../json/value.ts';
import type { Field } from './field.ts';

/** How a value of an answer was shown, as far as that is not the value itself. */
export interface ShownValue {
  /** Of the field, where it is not its name. */
  readonly label?: string;
  readonly unit?: string;
  /** Of the options that were chosen, in their order, where one has a label of its own. */
  readonly options?: readonly string[];
}

export type ShownValues = Readonly<Record<string, ShownValue>>;

/** What whoever answered had before their eyes: kept with the answer, since the form is not. */
export function shownValues(fields: readonly Field[], values: JsonObject): ShownValues {
  const shown = fields.flatMap((field): [string, ShownValue][] => {
    if (!hasKey(values, field.name)) return [];
    const parts = shownValue(field, values[field.name]!);
    return Object.keys(parts).length === 0 ? [] : [[field.name, parts]];
  });
  return Object.fromEntries(shown);
}

function shownValue(field: Field, value: JsonValue): ShownValue {
  const options = 'options' in field && field.options !== undefined ? optionLabels(field.options, value) : undefined;
  return {
    ...(field.label === field.name ? {} : { label: field.label }),
    ...('unit' in field && field.unit !== undefined ? { unit: field.unit } : {}),
    ...(options === undefined ? {} : { options }),
  };
}

type Options = readonly { readonly value: JsonValue; readonly label: string }[];

function optionLabels(options: Options, value: JsonValue): readonly string[] | undefined {
  const chosen: readonly JsonValue[] = Array.isArray(value) ? value : [value];
  const labels = chosen.map(one => options.find(option => option.value === one)?.label ?? String(one));
  return labels.some((label, index) => label !== String(chosen[index])) ? labels : undefined;
}
