import { FIELD_TYPES, type JsonObject, type JsonValue, pointerTo } from '@signalbox/kernel';
import { type Conversion, isOddNumber } from './conversion.ts';
import { readNumber, type Shape } from './shape.ts';
import { entryOf, isText, type SourceMap, type SourceNode } from './source-node.ts';

/** Any JSON value, with a mark for every part of it. */
export const JSON_VALUE: Shape = { schema: {}, read: readJson };

export const JSON_OBJECT: Shape = { schema: { type: 'object' }, read: readJsonObject };

export function readJson(node: SourceNode, pointer: string, conversion: Conversion): JsonValue | undefined {
  conversion.mark(pointer, node);
  if (node.kind === 'broken') {
    conversion.break(pointer);
    return undefined;
  }
  if (node.kind === 'list') {
    // A stand-in keeps the places of what follows; the definition is not given out.
    return node.items.map((item, index) => readJson(item, pointerTo(pointer, index), conversion) ?? null);
  }
  if (node.kind === 'map') return readEntries(node, pointer, conversion, key => key);
  return typeof node.value === 'number' ? readNumber(node, pointer, conversion) : node.value;
}

function readJsonObject(node: SourceNode, pointer: string, conversion: Conversion): JsonObject | undefined {
  conversion.mark(pointer, node);
  if (node.kind !== 'map') return conversion.wrong(node, pointer, 'a map');
  return readEntries(node, pointer, conversion, key => key);
}

function readEntries(
  map: SourceMap,
  pointer: string,
  conversion: Conversion,
  rename: (key: string) => string,
): JsonObject {
  const values: Record<string, JsonValue> = {};
  for (const { key, keyAt, value } of map.entries) {
    const target = rename(key);
    const place = pointerTo(pointer, target);
    if (Object.hasOwn(values, target)) {
      const message = `\`${target}\` is written in two spellings.`;
      conversion.fault('KeyTwice', place, message, { at: keyAt, hint: 'Keep one of them.' });
      continue;
    }
    conversion.mark(place, value, keyAt);
    const read = readJson(value, place, conversion);
    if (read !== undefined) values[target] = read;
  }
  return values;
}

/** A JSON Schema. Under `type: string` the values it names are texts, which YAML may have taken for something else. */
export const JSON_SCHEMA: Shape = {
  schema: { type: 'object' },
  read: (node, pointer, conversion) => {
    if (node.kind === 'map') checkTextValues(node, pointer, conversion);
    return readJsonObject(node, pointer, conversion);
  },
};

/** Tells of values named under `type: string` that are no texts. */
export function checkTextValues(node: SourceNode, pointer: string, conversion: Conversion): void {
  if (node.kind === 'list') {
    node.items.forEach((item, index) => {
      checkTextValues(item, pointerTo(pointer, index), conversion);
    });
  }
  if (node.kind !== 'map') return;
  const type = entryOf(node, 'type')?.value;
  const ofTexts = isText(type) && type.value === 'string';
  for (const { key, value } of node.entries) {
    const place = pointerTo(pointer, key);
    if (ofTexts && NAMING_VALUES.has(key)) wantTexts(value, place, conversion);
    else checkTextValues(value, place, conversion);
  }
}

const NAMING_VALUES: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples']);

function wantTexts(node: SourceNode, pointer: string, conversion: Conversion): void {
  if (node.kind !== 'list') wantText(node, pointer, conversion);
  else for (const [index, item] of node.items.entries()) wantText(item, pointerTo(pointer, index), conversion);
}

function wantText(node: SourceNode, pointer: string, conversion: Conversion): void {
  if (node.kind !== 'scalar' || typeof node.value === 'string') return;
  conversion.mark(pointer, node);
  conversion.textWanted(node, pointer, 'a text');
}

/** The field of a form as it stands, which the kernel checks; only spellings are looked at here. */
export const FIELD: Shape = {
  schema: fieldSchema(),
  read: (node, pointer, conversion) => {
    conversion.mark(pointer, node);
    if (node.kind !== 'map') return conversion.wrong(node, pointer, 'a map');
    const options = entryOf(node, 'options')?.value;
    if (options !== undefined) checkSpellings(options, pointerTo(pointer, 'options'), conversion);
    return readEntries(node, pointer, conversion, key => (key === 'show_if' ? 'showIf' : key));
  },
};

/** What can be chosen: a list, or CEL that gives one. */
export const OPTIONS: Shape = {
  schema: { type: ['array', 'object'] },
  read: (node, pointer, conversion) => {
    checkSpellings(node, pointer, conversion);
    return readJson(node, pointer, conversion);
  },
};

function checkSpellings(options: SourceNode, pointer: string, conversion: Conversion): void {
  if (options.kind !== 'list') return;
  options.items.forEach((item, index) => {
    checkOption(item, pointerTo(pointer, index), conversion);
  });
}

/** `1.10` as an option would be shown as 1.1: nobody writes so who means a number. */
function checkOption(item: SourceNode, pointer: string, conversion: Conversion): void {
  const value = item.kind === 'map' ? entryOf(item, 'value')?.value : item;
  if (value?.kind !== 'scalar' || !isOddNumber(value)) return;
  const place = item.kind === 'map' ? pointerTo(pointer, 'value') : pointer;
  conversion.mark(place, value);
  conversion.textWanted(value, place, 'a text');
}

function fieldSchema(): JsonObject {
  const texts = ['name', 'label', 'description', 'placeholder', 'unit', 'pattern', 'showIf', 'show_if'];
  const bound = { type: ['number', 'string'] };
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(texts.map(key => [key, { type: 'string' }])),
      type: { enum: FIELD_TYPES },
      required: { type: 'boolean' },
      default: {},
      options: {},
      min: bound,
      max: bound,
      step: { type: 'number', exclusiveMinimum: 0 },
    },
    required: ['name', 'type'],
    additionalProperties: false,
  };
}
