import { type Fault, pointerTo } from '../error/fault.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { closest } from '../schema/closest.ts';
import type { FieldOption, OptionValue } from './field.ts';
import { errorAt, MemberReader, textWanted } from './member-reader.ts';

const OPTION_KEYS = ['value', 'label', 'description'];

/**
 * The options of a field, each as an object. All values are of one type: a number among texts (`[on, 010]`) is a
 * forgotten quote more often than not. `InvalidField`, `NoOptions`, `DuplicateOption`, `TextWanted`, `UnknownKey`.
 */
export function checkOptions(
  source: JsonValue | undefined,
  pointer: string,
): { options: FieldOption[]; faults: Fault[] } {
  if (source === undefined || (Array.isArray(source) && source.length === 0)) {
    return { options: [], faults: [errorAt(pointer, 'NoOptions', 'There is no option to choose from.')] };
  }
  if (!Array.isArray(source)) {
    return { options: [], faults: [errorAt(pointer, 'InvalidField', '`options` must be a list.')] };
  }
  const faults: Fault[] = [];
  const options: FieldOption[] = [];
  const places: string[] = [];
  (source as readonly JsonValue[]).forEach((item, index) => {
    const place = pointerTo(pointer, index);
    const option = readOption(item, place, faults);
    if (option === undefined) return;
    options.push(option);
    places.push(isJsonObject(item) ? pointerTo(place, 'value') : place);
  });
  faults.push(...checkTypes(options, places), ...checkDistinct(options, places));
  return { options, faults };
}

function isOptionValue(value: JsonValue | undefined): value is OptionValue {
  return (
    typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
  );
}

function readOption(item: JsonValue, pointer: string, faults: Fault[]): FieldOption | undefined {
  if (isOptionValue(item)) return { value: item, label: String(item) };
  if (!isJsonObject(item)) {
    const message = 'An option must be a text, a number, true or false, or an object with `value`.';
    faults.push(errorAt(pointer, 'InvalidField', message));
    return undefined;
  }
  const reader = new MemberReader(item, pointer);
  for (const key of Object.keys(item))
    if (!OPTION_KEYS.includes(key)) reader.faults.push(unknownKey(key, reader, item));
  const label = reader.text('label');
  const description = reader.text('description');
  const value = reader.get('value');
  if (!isOptionValue(value)) reader.fault('InvalidField', 'value', '`value` must be a text, a number, true or false.');
  faults.push(...reader.faults);
  if (!isOptionValue(value)) return undefined;
  return { value, label: label ?? String(value), ...(description === undefined ? {} : { description }) };
}

function unknownKey(key: string, reader: MemberReader, item: JsonObject): Fault {
  const meant = closest(
    key,
    OPTION_KEYS.filter(known => !Object.hasOwn(item, known)),
  );
  const hint =
    meant === undefined ? `The keys of an option are ${OPTION_KEYS.join(', ')}.` : `Did you mean \`${meant}\`?`;
  return errorAt(reader.place(key), 'UnknownKey', `An option has no \`${key}\`.`, hint);
}

function checkTypes(options: readonly FieldOption[], places: readonly string[]): Fault[] {
  const types = new Set(options.map(option => typeof option.value));
  if (types.size < 2) return [];
  if (!types.has('string')) {
    return [errorAt(places[0]!, 'InvalidField', 'The values of all options must be of one type.')];
  }
  return options.flatMap((option, i) => (typeof option.value === 'string' ? [] : [textWanted(places[i]!, 'value')]));
}

function checkDistinct(options: readonly FieldOption[], places: readonly string[]): Fault[] {
  const seen = new Set<OptionValue>();
  return options.flatMap((option, index) => {
    if (!seen.has(option.value)) {
      seen.add(option.value);
      return [];
    }
    return [errorAt(places[index]!, 'DuplicateOption', `The option ${JSON.stringify(option.value)} is there twice.`)];
  });
}
