import {
  hasKey,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  pointerTo,
  type Reducer,
  type StateKeyDefinition,
} from '@signalbox/kernel';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Assembly } from './assembly.ts';

/**
 * The keys of a state, from an object schema. Each key is validated by itself when it is written, so a check of the
 * whole object that spans several keys is never made.
 */
export function stateDefinition(schema: StandardSchemaV1, assembly: Assembly): Record<string, StateKeyDefinition> {
  const members = membersOf(schema);
  if (members !== undefined) {
    return Object.fromEntries(Object.entries(members).map(([key, member]) => [key, ofMember(key, member, assembly)]));
  }
  const json = assembly.validator(schema, '/state')?.json;
  if (json === undefined) return {};
  if (isJsonObject(json.properties)) return ofProperties(json.properties, json);
  assembly.fault('InvalidState', '/state', 'The state is no object with named keys.', 'Use an object schema.');
  return {};
}

/** The schemas by key, as libraries show them: `shape` of Zod, `entries` of Valibot. */
function membersOf(schema: StandardSchemaV1): Readonly<Record<string, StandardSchemaV1>> | undefined {
  for (const name of ['shape', 'entries']) {
    const members: unknown = name in schema ? Reflect.get(schema, name) : undefined;
    if (isMembers(members)) return members;
  }
  return undefined;
}

function isMembers(members: unknown): members is Readonly<Record<string, StandardSchemaV1>> {
  return (
    typeof members === 'object' &&
    members !== null &&
    Object.values(members).every(member => typeof member === 'object' && member !== null && '~standard' in member)
  );
}

function ofMember(key: string, member: StandardSchemaV1, assembly: Assembly): StateKeyDefinition {
  const pointer = `${pointerTo('/state', key)}/schema`;
  const item = itemOf(member);
  if (item !== undefined) assembly.json(item, `${pointer}/items`);
  // With `{}` in its place, expressions that read the key are not faulted as well.
  return split(assembly.json(member, pointer) ?? {});
}

/**
 * The schema of a list's items, where the list has no checks of its own: then what is appended can be checked alone.
 * As Zod and Valibot show it; undefined wherever that is not sure.
 */
function itemOf(schema: StandardSchemaV1): StandardSchemaV1 | undefined {
  const zod: unknown = Reflect.get(schema, '_zod');
  const shown: unknown = isObject(zod) ? zod.def : schema;
  if (!isObject(shown)) return undefined;
  if (shown.type === 'default' && isSchema(shown.innerType)) return itemOf(shown.innerType);
  const hasChecks = (Array.isArray(shown.checks) && shown.checks.length > 0) || shown.pipe !== undefined;
  const item = shown.element ?? shown.item;
  return shown.type === 'array' && !hasChecks && isSchema(item) ? item : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isSchema(value: unknown): value is StandardSchemaV1 {
  return isObject(value) && '~standard' in value;
}

function ofProperties(properties: JsonObject, root: JsonObject): Record<string, StateKeyDefinition> {
  const shared: JsonObject = hasKey(root, '$defs') ? { $defs: root.$defs! } : {};
  return Object.fromEntries(
    Object.entries(properties).map(([key, property]) => [
      key,
      split(isJsonObject(property) ? { ...property, ...(hasRef(property) ? shared : {}) } : {}),
    ]),
  );
}

function hasRef(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(hasRef);
  return isJsonObject(value) && (hasKey(value, '$ref') || Object.values(value).some(hasRef));
}

/** `reducer` stands among the keywords of the schema and is a member of its own in a definition. */
function split({ reducer, ...schema }: JsonObject): StateKeyDefinition {
  return reducer === undefined ? { schema } : { schema, reducer: reducer as Reducer };
}
