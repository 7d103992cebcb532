import { isJsonObject, type JsonObject, type JsonValue } from '@signalbox/kernel';
import type { Connection } from './connection.ts';

/**
 * What providers take of JSON Schema when they do not take all of it.
 *  1. It only widens: what satisfies the schema satisfies its projection. What a call really has to satisfy is judged by the
 *     schema itself, elsewhere. One exception: a choice of objects at the top becomes one object, and a member of it has to be
 *     what the alternatives that name it say.
 *  2. What is left out stands in words in the description, so that the model still knows.
 */
export function projectSchema(schema: JsonObject, kind: Connection['kind']): JsonObject {
  const projected = new Projection(schema, kind).project(schema, []);
  return isObjectSchema(projected) ? projected : asObject(projected);
}

/** Beside `type`, `properties`, `required`, `items`, `enum`, `anyOf`, `description`, which all of them take. */
const ALSO_TAKEN: Readonly<Record<Connection['kind'], ReadonlySet<string>>> = {
  openai: new Set(['additionalProperties', 'minimum', 'maximum', 'minItems', 'maxItems']),
  anthropic: new Set(['additionalProperties', 'minimum', 'maximum']),
  'openai-compatible': new Set(),
  'ai-sdk': new Set(),
};

/** Rules that can be said in a few words. */
const TOLD: Readonly<Record<string, string>> = {
  pattern: 'must match',
  format: 'format',
  minLength: 'at least this many characters',
  maxLength: 'at most this many characters',
  minimum: 'at least',
  maximum: 'at most',
  exclusiveMinimum: 'more than',
  exclusiveMaximum: 'less than',
  multipleOf: 'a multiple of',
  minItems: 'at least this many items',
  maxItems: 'at most this many items',
  uniqueItems: 'no item twice',
  default: 'default',
  not: 'not',
};

/** Parts of one schema; references that multiply each other could make any number of them. What is beyond gives anything. */
const MOST_PARTS = 5_000;

class Projection {
  #parts = 0;
  readonly #root: JsonObject;
  readonly #takes: ReadonlySet<string>;

  constructor(root: JsonObject, kind: Connection['kind']) {
    this.#root = root;
    this.#takes = ALSO_TAKEN[kind];
  }

  /** `inside`: references that are being replaced; one of them again would have no end, and gives anything. */
  project(schema: JsonValue | undefined, inside: readonly string[]): JsonObject {
    this.#parts += 1;
    if (!isJsonObject(schema) || this.#parts > MOST_PARTS) return {};
    const { $ref, allOf } = schema;
    if (typeof $ref === 'string') return this.#resolve($ref, schema, inside);
    if (!Array.isArray(allOf)) return this.#project(schema, inside);
    const refs = allOf.map(refOf).filter(ref => ref !== undefined && !inside.includes(ref));
    const parts = allOf.map(part => {
      const ref = refOf(part);
      if (ref === undefined) return part;
      return (refs.includes(ref) ? targetOf(this.#root, ref) : undefined) ?? {};
    });
    return this.#project(mergeAll(schema, parts), [...inside, ...(refs as string[])]);
  }

  #resolve(ref: string, { $ref: _, ...beside }: JsonObject, inside: readonly string[]): JsonObject {
    const target = inside.includes(ref) ? undefined : targetOf(this.#root, ref);
    if (target === undefined) return described({}, beside);
    const found = this.project(target, [...inside, ref]);
    return typeof beside.description === 'string' ? { ...found, description: beside.description } : found;
  }

  #project(schema: JsonObject, inside: readonly string[]): JsonObject {
    const { type, enum: values, const: only } = schema;
    const choices = [schema.anyOf, schema.oneOf].find(Array.isArray);
    const listed = Array.isArray(values) ? values : only === undefined ? undefined : [only];
    const parts: Record<string, JsonValue> = {};
    if (choices !== undefined) parts.anyOf = choices.map(choice => this.project(choice, inside));
    if (listed !== undefined) parts.enum = listed;
    if (!Array.isArray(type)) Object.assign(parts, this.#ofType(type, schema, inside));
    else if (choices === undefined && listed === undefined)
      parts.anyOf = type.map(each => this.#ofType(each, schema, inside));
    return described(parts, schema);
  }

  /** What is said of values of one type, or of all where there is none. */
  #ofType(type: JsonValue | undefined, schema: JsonObject, inside: readonly string[]): Record<string, JsonValue> {
    const parts: Record<string, JsonValue> = typeof type === 'string' ? { type } : {};
    const { properties, required, items, prefixItems } = schema;
    if (isOneOf(type, 'object') && isJsonObject(properties)) {
      const members = Object.entries(properties).map(([name, part]) => [name, this.project(part, inside)]);
      parts.properties = Object.fromEntries(members);
      if (Array.isArray(required)) parts.required = required.filter(name => Object.hasOwn(properties, String(name)));
      if (schema.additionalProperties === false && this.#takes.has('additionalProperties'))
        if (schema.patternProperties === undefined) parts.additionalProperties = false;
    }
    // Beside `prefixItems`, `items` is about those after them only.
    if (isOneOf(type, 'array') && isJsonObject(items) && prefixItems === undefined)
      parts.items = this.project(items, inside);
    else if (type === 'array') parts.items = {};
    for (const [key, ...types] of BOUNDS)
      if (this.#takes.has(key) && isOneOf(type, ...types) && typeof schema[key] === 'number') parts[key] = schema[key];
    return parts;
  }
}

/** Which bound is about which types. */
const BOUNDS = [
  ['minimum', 'number', 'integer'],
  ['maximum', 'number', 'integer'],
  ['minItems', 'array'],
  ['maxItems', 'array'],
] as const;

function isOneOf(type: JsonValue | undefined, ...types: readonly string[]): boolean {
  return type === undefined || types.includes(type as string);
}

function refOf(schema: JsonValue): string | undefined {
  return isJsonObject(schema) && typeof schema.$ref === 'string' ? schema.$ref : undefined;
}

/** The tops of tools are objects everywhere; a choice of objects becomes one that has the members of all. */
function asObject(schema: JsonObject): JsonObject {
  const choices = (Array.isArray(schema.anyOf) ? schema.anyOf : []).filter(isJsonObject);
  const { anyOf: _, enum: __, ...rest } = schema;
  const own = isJsonObject(rest.properties) ? rest.properties : {};
  const members: Record<string, JsonValue> = { ...own };
  for (const { properties } of choices) {
    for (const [name, part] of Object.entries(isJsonObject(properties) ? properties : {}))
      members[name] = Object.hasOwn(members, name) ? eitherOf(members[name]!, part) : part;
  }
  const { additionalProperties: ___, ...open } = rest;
  return { ...(choices.length > 0 ? open : rest), type: 'object', properties: members };
}

function eitherOf(one: JsonValue, other: JsonValue): JsonValue {
  return JSON.stringify(one) === JSON.stringify(other) ? one : { anyOf: [one, other] };
}

function isObjectSchema(schema: JsonObject): boolean {
  return schema.type === 'object' && isJsonObject(schema.properties) && !('anyOf' in schema) && !('enum' in schema);
}

/** What all of them ask for together, where that can be said in one schema; of two rules of a kind the first stays. */
function mergeAll({ allOf: _, ...schema }: JsonObject, parts: readonly JsonValue[]): JsonObject {
  const merged: Record<string, JsonValue> = { ...schema };
  for (const part of parts.filter(isJsonObject)) {
    for (const [key, value] of Object.entries(part)) {
      if (!Object.hasOwn(merged, key)) merged[key] = value;
      else if (key === 'properties') merged[key] = { ...(value as JsonObject), ...(merged[key] as JsonObject) };
      else if (key === 'required') merged[key] = [...new Set([merged[key], value].flat())] as JsonValue;
    }
  }
  return merged;
}

function described(parts: JsonObject, schema: JsonObject): JsonObject {
  const rules = Object.entries(TOLD).flatMap(([key, words]) => {
    const value = schema[key];
    return value === undefined || Object.hasOwn(parts, key) ? [] : [`${words}: ${wordOf(value)}`];
  });
  const told = typeof schema.description === 'string' ? [schema.description] : [];
  const text = [...told, ...(rules.length > 0 ? [`(${rules.join('; ')})`] : [])].join(' ');
  return text === '' ? parts : { ...parts, description: text };
}

function wordOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Undefined: it leads nowhere, outside, or by an anchor. */
function targetOf(root: JsonObject, ref: string): JsonValue | undefined {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return undefined;
  let place: JsonValue | undefined = root;
  for (const step of ref.slice(2).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    place = isJsonObject(place) && Object.hasOwn(place, key) ? place[key] : undefined;
  }
  return place;
}
