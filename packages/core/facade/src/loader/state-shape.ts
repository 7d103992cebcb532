import { isJsonObject, type JsonObject, type JsonValue, pointerTo } from '@signalbox/kernel';
import type { Conversion } from './conversion.ts';
import { JSON_SCHEMA, JSON_VALUE } from './json-shape.ts';
import { object, optional } from './object-shape.ts';
import { record, type Shape, word } from './shape.ts';
import { entryOf, type SourceMap, type SourceNode } from './source-node.ts';

const REDUCER = word('replace', 'append', 'merge', 'sum', 'min', 'max');

const KEY_DEFINITION = object('A state key', {
  schema: { shape: JSON_SCHEMA, required: { standIn: {} } },
  ...optional({ reducer: REDUCER }),
});

/** `{ schema, reducer }`, or the schema itself with `reducer` among its keywords. */
const STATE_KEY: Shape = {
  schema: { type: 'object', properties: { reducer: REDUCER.schema } },
  read: (node, pointer, conversion) => {
    if (node.kind !== 'map' || entryOf(node, 'schema') !== undefined)
      return KEY_DEFINITION.read(node, pointer, conversion);
    const schema = { ...node, entries: node.entries.filter(entry => entry.key !== 'reducer') };
    const place = pointerTo(pointer, 'schema');
    const written = entryOf(node, 'reducer');
    const read = JSON_SCHEMA.read(schema, place, conversion);
    if (read === undefined) conversion.break(place);
    if (written === undefined) return { schema: read ?? {} };
    conversion.mark(pointerTo(pointer, 'reducer'), written.value, written.keyAt);
    const reducer = REDUCER.read(written.value, pointerTo(pointer, 'reducer'), conversion);
    return { schema: read ?? {}, ...(reducer === undefined ? {} : { reducer }) };
  },
};

const BY_KEY = record(STATE_KEY);

const FALSE: Shape = {
  schema: { const: false },
  read: (node, pointer, conversion) => {
    if (node.kind === 'scalar' && node.value === false) return false;
    return conversion.wrong(node, pointer, 'false: a state has the keys it names and no others');
  },
};

const SCHEMA_FORM = object('A state schema', {
  properties: { shape: BY_KEY },
  ...optional({ type: word('object'), $defs: JSON_VALUE, $schema: JSON_VALUE, additionalProperties: FALSE }),
  ...optional({ title: JSON_VALUE, description: JSON_VALUE }),
});

/** The state as one JSON Schema of an object with `reducer` on its properties, or as a map from key to definition. */
export const STATE: Shape = {
  schema: { anyOf: [SCHEMA_FORM.schema, BY_KEY.schema] },
  read: (node, pointer, conversion) => {
    conversion.mark(pointer, node);
    if (node.kind !== 'map') return conversion.wrong(node, pointer, 'a JSON Schema of an object');
    return isSchemaForm(node) ? readSchemaForm(node, pointer, conversion) : BY_KEY.read(node, pointer, conversion);
  },
};

/** A state key may be called `type` or `properties` too; its definition is then a map with `schema`. */
function isSchemaForm(map: SourceMap): boolean {
  if (entryOf(map, 'type')?.value.kind === 'scalar') return true;
  const properties = entryOf(map, 'properties')?.value;
  return properties?.kind === 'map' && entryOf(properties, 'schema', 'type') === undefined;
}

function readSchemaForm(map: SourceMap, pointer: string, conversion: Conversion): JsonValue {
  const shared = entryOf(map, '$defs')?.value;
  const around = { ...map, entries: map.entries.filter(entry => entry.key !== 'properties') };
  SCHEMA_FORM.read(around, pointer, conversion);
  const properties = entryOf(map, 'properties');
  if (properties === undefined) return {};
  const keys = BY_KEY.read(properties.value, pointer, conversion);
  const $defs = shared === undefined ? undefined : readDefs(shared, pointer, conversion);
  if (!isJsonObject(keys ?? null)) return {};
  return $defs === undefined ? (keys ?? {}) : withDefs(keys as JsonObject, $defs);
}

function readDefs(node: SourceNode, pointer: string, conversion: Conversion): JsonValue | undefined {
  return JSON_VALUE.read(node, `${pointer}/$defs`, conversion);
}

/** Each key's schema stands alone, so it takes along the definitions that it refers to. */
function withDefs(keys: JsonObject, $defs: JsonValue): JsonObject {
  return Object.fromEntries(
    Object.entries(keys).map(([key, definition]) => {
      if (!isJsonObject(definition) || !isJsonObject(definition.schema ?? null)) return [key, definition];
      const schema = definition.schema as JsonObject;
      return [key, refersToDefs(schema) ? { ...definition, schema: { ...schema, $defs } } : definition];
    }),
  );
}

function refersToDefs(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(refersToDefs);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, member]) =>
    key === '$ref' && typeof member === 'string' ? member.startsWith('#/$defs/') : refersToDefs(member),
  );
}
