import { type Fault, pointerTo } from '../error/fault.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { isMultipleOf } from './decimal.ts';
import { errorAt } from './member-reader.ts';
import { FIELD_HINTS } from './schema-from-fields.ts';
import { withoutNull } from './without-null.ts';

export interface PropertyContext {
  readonly name: string;
  readonly required: boolean;
  readonly pointer: string;
}

interface Converted {
  readonly field?: JsonObject;
  readonly faults: Fault[];
}

const ANNOTATIONS = [
  ...['title', 'description', 'default', 'examples', '$comment', '$schema', '$id', '$defs', 'definitions'],
  ...['deprecated', 'readOnly', 'writeOnly', 'sensitive', FIELD_HINTS],
];

/** One property of an object schema, its references resolved, as the written form of a field. */
export function fieldFromProperty(property: JsonObject, context: PropertyContext): Converted {
  const { schema, nullable } = withoutNull(property);
  const { pointer } = context;
  const faults: Fault[] = [];
  const hasDefault = Object.hasOwn(schema, 'default') && schema.default !== null;
  if (nullable && context.required && !hasDefault) {
    const hint = 'Make the key optional: in a form no answer is an absent key.';
    faults.push(errorAt(pointer, 'UnsupportedInForm', 'A form cannot answer null.', hint));
  }
  const kind = kindOf(schema);
  if (kind === undefined) {
    const hint = 'A form asks for texts, numbers, true or false, days, times, and choices of one or many.';
    faults.push(errorAt(pointer, 'UnsupportedInForm', 'No field can ask for this.', hint));
    return { faults };
  }
  const result = KINDS[kind](schema, pointer);
  const known = new Set([...ANNOTATIONS, ...result.used]);
  for (const keyword of Object.keys(schema)) {
    if (!known.has(keyword)) faults.push(unsupported(pointer, keyword));
  }
  const field = {
    ...result.members,
    ...renamed(schema, { title: 'label', description: 'description' }),
    ...(hasDefault ? { default: schema.default! } : {}),
    ...(context.required ? { required: true } : {}),
    ...(schema.sensitive === true ? { sensitive: true } : {}),
    ...(isJsonObject(schema[FIELD_HINTS]) ? schema[FIELD_HINTS] : {}),
    name: context.name,
  };
  return { field, faults: [...faults, ...result.faults] };
}

function unsupported(pointer: string, keyword: string, hint?: string): Fault {
  return errorAt(pointerTo(pointer, keyword), 'UnsupportedInForm', `No field can hold \`${keyword}\` here.`, hint);
}

/** Members of a field, made of the keywords in `used`. */
interface Conversion {
  readonly members: JsonObject;
  readonly used: readonly string[];
  readonly faults: readonly Fault[];
}

type Kind = 'choice' | 'many' | 'text' | 'date' | 'number' | 'boolean';

function kindOf(schema: JsonObject): Kind | undefined {
  if (optionsOf(schema) !== undefined) return 'choice';
  switch (schema.type) {
    case 'string':
      return schema.format === 'date' || schema.format === 'date-time' ? 'date' : 'text';
    case 'number':
    case 'integer':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'array':
      return isJsonObject(schema.items) && optionsOf(schema.items) !== undefined ? 'many' : undefined;
    default:
      return undefined;
  }
}

const KINDS: Readonly<Record<Kind, (schema: JsonObject, pointer: string) => Conversion>> = {
  boolean: () => ({ members: { type: 'boolean' }, used: ['type'], faults: [] }),
  choice: schema => {
    const { keyword, options } = optionsOf(schema)!;
    return { members: { type: 'select', options }, used: ['type', keyword], faults: [] };
  },
  date: schema => ({
    members: {
      type: schema.format === 'date' ? 'date' : 'datetime',
      ...renamed(schema, { formatMinimum: 'min', formatMaximum: 'max' }),
    },
    used: ['type', 'format', 'pattern', 'formatMinimum', 'formatMaximum'],
    faults: [],
  }),
  many: manyFrom,
  number: numberFrom,
  text: (schema, pointer) => ({
    members: { type: 'text', ...renamed(schema, { minLength: 'min', maxLength: 'max', pattern: 'pattern' }) },
    used: ['type', 'minLength', 'maxLength', 'pattern', 'format'],
    faults:
      schema.format === undefined || schema.pattern !== undefined
        ? []
        : [unsupported(pointer, 'format', 'Say it with `pattern`.')],
  }),
};

function renamed(schema: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  const present = Object.entries(names).filter(([keyword]) => Object.hasOwn(schema, keyword));
  return Object.fromEntries(present.map(([keyword, member]) => [member, schema[keyword]!]));
}

/** An integer is a number of step 1, so a bound beyond it is the next whole number. */
function numberFrom(schema: JsonObject, pointer: string): Conversion {
  const faults: Fault[] = [];
  const integer = schema.type === 'integer';
  const { multipleOf } = schema;
  let step = integer ? 1 : multipleOf;
  if (integer && typeof multipleOf === 'number' && !isMultipleOf(1, multipleOf)) {
    if (Number.isInteger(multipleOf)) step = multipleOf;
    else faults.push(unsupported(pointer, 'multipleOf', 'Give whole steps to a whole number.'));
  }
  const [min, max] = [lowest(schema, integer), highest(schema, integer)];
  for (const keyword of ['exclusiveMinimum', 'exclusiveMaximum']) {
    if (!integer && Object.hasOwn(schema, keyword)) {
      faults.push(unsupported(pointer, keyword, 'Give the lowest and the highest value allowed.'));
    }
  }
  return {
    members: {
      type: 'number',
      ...(min === undefined ? {} : { min }),
      ...(max === undefined ? {} : { max }),
      ...(step === undefined ? {} : { step }),
    },
    used: ['type', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
    faults,
  };
}

function lowest(schema: JsonObject, integer: boolean): JsonValue | undefined {
  const { minimum, exclusiveMinimum: beyond } = schema;
  if (!integer) return minimum;
  const bounds = [minimum, typeof beyond === 'number' ? Math.floor(beyond) + 1 : undefined].filter(isNumber);
  const found = Math.max(...bounds, Number.MIN_SAFE_INTEGER);
  return found === Number.MIN_SAFE_INTEGER ? undefined : found;
}

function highest(schema: JsonObject, integer: boolean): JsonValue | undefined {
  const { maximum, exclusiveMaximum: beyond } = schema;
  if (!integer) return maximum;
  const bounds = [maximum, typeof beyond === 'number' ? Math.ceil(beyond) - 1 : undefined].filter(isNumber);
  const found = Math.min(...bounds, Number.MAX_SAFE_INTEGER);
  return found === Number.MAX_SAFE_INTEGER ? undefined : found;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function manyFrom(schema: JsonObject, pointer: string): Conversion {
  const items = schema.items as JsonObject;
  const { keyword, options } = optionsOf(items)!;
  const known = ['type', keyword, ...ANNOTATIONS];
  const others = Object.keys(items).filter(key => !known.includes(key));
  return {
    members: { type: 'multiselect', options, ...renamed(schema, { minItems: 'min', maxItems: 'max' }) },
    used: ['type', 'items', 'uniqueItems', 'minItems', 'maxItems'],
    faults: others.map(key => unsupported(pointerTo(pointer, 'items'), key)),
  };
}

interface Options {
  /** Where they stood. */
  readonly keyword: string;
  readonly options: readonly JsonValue[];
}

/** The options of an `enum`, a `const`, or an `anyOf` or `oneOf` of constants with titles; undefined where it is none. */
function optionsOf(schema: JsonObject): Options | undefined {
  if (Array.isArray(schema.enum)) return { keyword: 'enum', options: schema.enum };
  if (Object.hasOwn(schema, 'const')) return { keyword: 'const', options: [schema.const!] };
  for (const keyword of ['oneOf', 'anyOf']) {
    const choices = schema[keyword];
    if (Array.isArray(choices) && choices.every(isOption)) return { keyword, options: choices.map(optionFrom) };
  }
  return undefined;
}

const OF_AN_OPTION = ['const', 'type', 'title', 'description'];

function isOption(choice: JsonValue): choice is JsonObject {
  return (
    isJsonObject(choice) &&
    Object.hasOwn(choice, 'const') &&
    Object.keys(choice).every(keyword => OF_AN_OPTION.includes(keyword))
  );
}

function optionFrom(choice: JsonObject): JsonObject {
  return { value: choice.const!, ...renamed(choice, { title: 'label', description: 'description' }) };
}
