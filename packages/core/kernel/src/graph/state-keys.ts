import { type ExprType, objectOf } from '../expression/expr-type.ts';
import { typeOfSchema } from '../expression/schema-type.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { isJsonObject } from '../json/value.ts';
import { compileJsonSchema } from '../schema/json-schema.ts';
import type { Validator } from '../schema/validator.ts';
import type { GraphDefinition, Reducer, StateKeyDefinition } from './definition.ts';
import type { CompiledStateKey, GraphCode } from './program.ts';

const EMPTY: Readonly<Record<Reducer, JsonValue | undefined>> = {
  replace: undefined,
  append: [],
  merge: {},
  sum: 0,
  min: undefined,
  max: undefined,
};

/** Keywords that say something of single items only, so that a list of good items is good. */
const PER_ITEM = new Set(['$schema', 'type', 'items', 'default', 'title', 'description', 'examples']);

/** The schema's default, else what the reducer starts from, else nothing. */
export function initialValue({ schema, reducer }: StateKeyDefinition): JsonValue | undefined {
  return Object.hasOwn(schema, 'default') ? schema.default : EMPTY[reducer ?? 'replace'];
}

/** Keys without a value at the start are optional, but for those in `written`. */
export function stateType(graph: GraphDefinition, written: ReadonlySet<string> = new Set()): ExprType {
  const keys = Object.entries(graph.state);
  const optional = keys.filter(([key, definition]) => initialValue(definition) === undefined && !written.has(key));
  return objectOf(Object.fromEntries(keys.map(([key, { schema }]) => [key, typeOfSchema(schema)])), {
    optional: optional.map(([key]) => key),
  });
}

export function compileStateKey(
  key: string,
  definition: StateKeyDefinition,
  pointer: string,
  code: GraphCode | undefined,
): CompiledStateKey {
  const own = code?.validators?.get(`${pointer}/schema`);
  const reducer = definition.reducer ?? 'replace';
  return {
    key,
    reducer,
    value: own ?? compileJsonSchema(definition.schema),
    item: reducer === 'append' ? itemValidator(definition.schema, pointer, own, code) : undefined,
    initial: initialValue(definition),
  };
}

/** Checks what is added alone, where the list as a whole cannot be wrong; so an append costs what it adds. */
function itemValidator(
  schema: JsonObject,
  pointer: string,
  own: Validator | undefined,
  code: GraphCode | undefined,
): Validator | undefined {
  const item = itemSchema(schema);
  if (item === undefined) return undefined;
  // Checks of a library that its JSON Schema does not show are known to whoever read the schema: it names the items' own.
  return own === undefined ? compileJsonSchema(item) : code?.validators?.get(`${pointer}/schema/items`);
}

function itemSchema(schema: JsonObject): JsonObject | undefined {
  if (!isJsonObject(schema.items) || !Object.keys(schema).every(key => PER_ITEM.has(key))) return undefined;
  return mentionsRef(schema.items) ? undefined : schema.items;
}

/** A reference leads to the root of the whole schema, which the items alone do not have. */
function mentionsRef(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(mentionsRef);
  return Object.entries(value).some(([key, member]) => key.startsWith('$') || mentionsRef(member));
}
