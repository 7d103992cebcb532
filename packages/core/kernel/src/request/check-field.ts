import type { Fault } from '../error/fault.ts';
import { DANGEROUS_KEYS, isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { closest } from '../schema/closest.ts';
import { readBounds } from './check-bounds.ts';
import { checkOptions } from './check-options.ts';
import { FIELD_TYPES, type Field, type FieldOption, type FieldType } from './field.ts';
import { errorAt, MemberReader, textWanted } from './member-reader.ts';
import { validateValue } from './validate-value.ts';

export interface FieldChecks {
  /** Faults of a `showIf`, their pointers below the expression (mostly `''`). Without it `showIf` is taken as it is. */
  readonly checkShowIf?: (source: string) => readonly Fault[];
  /**
   * Faults of a `{ cel: … }` that stands in `options` until the question is opened. Only with it are such options
   * allowed; the field then has `options: []`, is not held against them, and is checked again when they are known.
   */
  readonly checkTemplate?: (source: string) => readonly Fault[];
  /** In which local bounds are read; UTC by default, and where it is no zone, which is for others to say. */
  readonly zone?: string;
}

const COMMON = ['name', 'type', 'label', 'description', 'required', 'showIf', 'sensitive'];
const TEXT = [...COMMON, 'placeholder', 'default', 'min', 'max', 'pattern'];
const CHOICE = [...COMMON, 'placeholder', 'default', 'options'];
const MANY = [...CHOICE, 'min', 'max'];
const NUMBER = [...COMMON, 'placeholder', 'default', 'min', 'max', 'step', 'unit'];
const DATE = [...COMMON, 'placeholder', 'default', 'min', 'max'];

const KEYS: Readonly<Record<FieldType, readonly string[]>> = {
  text: TEXT,
  textarea: TEXT,
  select: CHOICE,
  radio: CHOICE,
  multiselect: MANY,
  checkbox: MANY,
  number: NUMBER,
  slider: NUMBER,
  date: DATE,
  datetime: DATE,
  boolean: [...COMMON, 'default'],
};

const SINGLE_BOX = [...COMMON, 'default'];
const EVERY_KEY = new Set(Object.values(KEYS).flat());

/** CEL reads `values.<name>`, and these are no names there. */
const RESERVED = new Set(['true', 'false', 'null', 'in']);
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** One written field, complete; undefined when it is too broken to be one. Names are not compared with other fields' here. */
export function checkField(
  source: JsonObject,
  pointer: string,
  checks: FieldChecks,
): { field?: Field; faults: Fault[] } {
  const reader = new MemberReader(source, pointer);
  const name = readName(reader);
  const type = readType(reader);
  const label = reader.text('label');
  const description = reader.text('description');
  const required = reader.flag('required') ?? false;
  const showIf = readShowIf(reader, checks);
  const sensitive = reader.flag('sensitive') ?? false;
  if (type === undefined) return { faults: reader.faults };
  checkKeys(source, type, reader);
  const base = {
    name: name ?? '',
    type,
    label: label ?? name ?? '',
    ...(description === undefined ? {} : { description }),
    required: required && !reader.has('default'),
    ...(showIf === undefined ? {} : { showIf }),
    ...(sensitive ? { sensitive } : {}),
    ...optionalText(reader, 'placeholder'),
  };
  const field = {
    ...base,
    ...readBounds(type, reader, checks.zone ?? 'UTC'),
    ...readOptions(type, reader, checks),
  } as Field;
  const complete = withDefault(field, reader, checks);
  return name === undefined ? { faults: reader.faults } : { field: complete, faults: reader.faults };
}

function optionalText(reader: MemberReader, key: string): Record<string, string> {
  const text = reader.text(key);
  return text === undefined ? {} : { [key]: text };
}

function readName(reader: MemberReader): string | undefined {
  if (!reader.has('name')) {
    reader.fault('MissingKey', 'name', 'A field needs a `name`.');
    return undefined;
  }
  const name = reader.text('name');
  if (name === undefined) return undefined;
  if (DANGEROUS_KEYS.has(name)) reader.fault('DangerousKey', 'name', `"${name}" is not allowed as a name.`);
  else if (!IDENTIFIER.test(name) || RESERVED.has(name)) {
    const hint =
      'A name has letters of a to z, digits and _, begins with no digit, and is no word of CEL; `label` is free.';
    reader.fault('InvalidName', 'name', `"${name}" is no name for a field.`, hint);
  }
  return name;
}

/** What is meant by types of JSON Schema, which stand beside fields in the same file. */
const OF_SCHEMAS: ReadonlyMap<string, string> = new Map([
  ['integer', 'A whole number is `type: number` with `step: 1`.'],
  ['string', 'A text is `type: text`, one of several lines `textarea`.'],
  ['array', 'Several of a list of options are `type: multiselect`.'],
  ['enum', 'One of a list of options is `type: select` or `radio`.'],
]);

function readType(reader: MemberReader): FieldType | undefined {
  if (!reader.has('type')) {
    reader.fault('MissingKey', 'type', 'A field needs a `type`.', `The types are ${FIELD_TYPES.join(', ')}.`);
    return undefined;
  }
  const type = reader.text('type');
  const known = FIELD_TYPES.find(one => one === type);
  if (type === undefined || known !== undefined) return known;
  const meant = closest(type, FIELD_TYPES);
  const hint =
    OF_SCHEMAS.get(type) ??
    (meant === undefined ? `The types are ${FIELD_TYPES.join(', ')}.` : `Did you mean \`${meant}\`?`);
  reader.fault('UnknownFieldType', 'type', `There is no field type "${type}".`, hint);
  return undefined;
}

function readShowIf(reader: MemberReader, checks: FieldChecks): string | undefined {
  const showIf = reader.text('showIf');
  if (showIf === undefined) return undefined;
  const faults = checks.checkShowIf?.(showIf) ?? [];
  reader.faults.push(...faults.map(fault => ({ ...fault, pointer: reader.place('showIf') + fault.pointer })));
  return showIf;
}

function checkKeys(source: JsonObject, type: FieldType, reader: MemberReader): void {
  const allowed = type === 'checkbox' && !reader.has('options') ? [...SINGLE_BOX, 'options'] : KEYS[type];
  for (const key of Object.keys(source)) {
    if (allowed.includes(key)) continue;
    if (DANGEROUS_KEYS.has(key)) {
      reader.fault('DangerousKey', key, `\`${key}\` is not allowed as a key.`);
      continue;
    }
    const rest = allowed.filter(known => !reader.has(known));
    const meant = EVERY_KEY.has(key) ? undefined : closest(key, rest);
    const hint = meant === undefined ? `A ${type} field has ${allowed.join(', ')}.` : `Did you mean \`${meant}\`?`;
    reader.fault('UnknownKey', key, `A ${type} field has no \`${key}\`.`, hint);
  }
}

function readOptions(type: FieldType, reader: MemberReader, checks: FieldChecks): { options?: FieldOption[] } {
  if (!KEYS[type].includes('options') || (type === 'checkbox' && !reader.has('options'))) return {};
  const source = reader.get('options');
  const templates = checks.checkTemplate === undefined ? [] : templatesIn(source, reader.place('options'));
  if (templates.length > 0) {
    for (const { source: text, pointer } of templates) {
      const faults = checks.checkTemplate!(text);
      reader.faults.push(...faults.map(fault => ({ ...fault, pointer: pointer + fault.pointer })));
    }
    return { options: [] };
  }
  const { options, faults } = checkOptions(source, reader.place('options'));
  reader.faults.push(...faults);
  const least = reader.get('min');
  if (faults.length === 0 && typeof least === 'number' && least > options.length) {
    reader.fault('EmptyRange', 'min', `${least} cannot be chosen of ${options.length} options.`);
  }
  return { options };
}

function templatesIn(value: JsonValue | undefined, pointer: string): { source: string; pointer: string }[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => templatesIn(item, `${pointer}/${index}`));
  if (!isJsonObject(value)) return [];
  if (typeof value.cel === 'string') return [{ source: value.cel, pointer: `${pointer}/cel` }];
  return ['value', 'label', 'description'].flatMap(key => templatesIn(value[key], `${pointer}/${key}`));
}

/** A default is held against the very rules that an answer is. Where the rules themselves are broken they are all that is told. */
function withDefault(field: Field, reader: MemberReader, checks: FieldChecks): Field {
  const value = reader.get('default');
  if (value === undefined) return field;
  const isText =
    field.type === 'text' || field.type === 'textarea' || field.type === 'date' || field.type === 'datetime';
  if (isText && (typeof value === 'number' || typeof value === 'boolean')) {
    reader.faults.push(textWanted(reader.place('default'), 'default'));
    return field;
  }
  const known = !('options' in field) || field.options === undefined || field.options.length > 0;
  const issues = known ? validateValue(field, value, '', checks.zone ?? 'UTC') : [];
  for (const issue of issues) {
    const message = `The default is outside its own bounds: it ${issue.message}.`;
    reader.faults.push(errorAt(reader.place('default') + issue.pointer, 'DefaultOutOfBounds', message));
  }
  return { ...field, default: value } as Field;
}
