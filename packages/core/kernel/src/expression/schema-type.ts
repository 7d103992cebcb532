import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { BOOL, DOUBLE, DYN, type ExprProperty, type ExprType, INT, NULL, STRING, unionOf } from './expr-type.ts';

const MAX_DEPTH = 24;

/**
 * The type of the values that a JSON Schema (2020-12) lets through.
 * - An object with `properties` and no word on others is closed, stricter than JSON Schema, so that typing errors are
 *   found; `additionalProperties: true` or a schema opens it.
 * - A property is optional unless it is `required` or has a `default`.
 * - `$ref` is followed inside the document (`#`, `#/$defs/…`); what cannot be followed, and recursion beyond 24 levels, is `dyn`.
 */
export function typeOfSchema(schema: JsonObject | boolean | undefined): ExprType {
  return isJsonObject(schema) ? new SchemaReader(schema).read(schema, 0) : DYN;
}

class SchemaReader {
  readonly #root: JsonObject;
  /** Types by depth and reference, so that a schema that branches into itself is read once per level. */
  readonly #known = new Map<string, ExprType>();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  read(schema: JsonValue | undefined, depth: number): ExprType {
    if (!isJsonObject(schema) || depth > MAX_DEPTH) return DYN;
    if (typeof schema.$ref === 'string') return this.#readReference(schema.$ref, depth);
    if (schema.const !== undefined) return typeOfValue(schema.const);
    if (Array.isArray(schema.enum)) return unionOf(schema.enum.map(typeOfValue));
    const choices = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(choices)) return this.#readChoices(schema, choices, depth);
    if (Array.isArray(schema.allOf)) return this.#readAll(schema, schema.allOf, depth);
    if (Array.isArray(schema.type))
      return unionOf(schema.type.map((type: JsonValue) => this.#readKind(schema, type, depth)));
    return this.#readKind(schema, schema.type ?? impliedKind(schema), depth);
  }

  #readReference(ref: string, depth: number): ExprType {
    const key = `${depth} ${ref}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const type = this.read(this.#resolve(ref), depth + 1);
    this.#known.set(key, type);
    return type;
  }

  #readKind(schema: JsonObject, kind: JsonValue | undefined, depth: number): ExprType {
    switch (kind) {
      case 'null':
        return NULL;
      case 'boolean':
        return BOOL;
      case 'integer':
        return INT;
      case 'number':
        return DOUBLE;
      case 'string':
        return STRING;
      case 'array':
        return { kind: 'list', items: this.#readItems(schema, depth) };
      case 'object':
        return this.#readObject(schema, depth);
      default:
        return DYN;
    }
  }

  #readItems(schema: JsonObject, depth: number): ExprType {
    const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
    const types = first.map((item: JsonValue) => this.read(item, depth + 1));
    if (types.length > 0 && schema.items === false) return unionOf(types);
    return unionOf([...types, this.read(schema.items, depth + 1)]);
  }

  #readObject(schema: JsonObject, depth: number): ExprType {
    const rest = schema.additionalProperties;
    const hasPatterns = isJsonObject(schema.patternProperties);
    if (!isJsonObject(schema.properties)) {
      if (rest === false && !hasPatterns) return { kind: 'object', props: {}, open: false };
      return isJsonObject(rest) && !hasPatterns
        ? { kind: 'map', values: this.read(rest, depth + 1) }
        : { kind: 'map', values: DYN };
    }
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    const props = Object.entries(schema.properties).map(([name, value]): [string, ExprProperty] => {
      const filled = isJsonObject(value) && Object.hasOwn(value, 'default');
      return [name, { type: this.read(value, depth + 1), optional: !required.has(name) && !filled }];
    });
    return {
      kind: 'object',
      props: Object.fromEntries(props),
      open: rest === true || isJsonObject(rest) || hasPatterns,
    };
  }

  /** Keywords beside `anyOf` hold for every choice, so that `properties` next to it are seen in each. */
  #readChoices(schema: JsonObject, choices: readonly JsonValue[], depth: number): ExprType {
    const { anyOf: _any, oneOf: _one, ...beside } = schema;
    return unionOf(choices.map(choice => this.#readAll(beside, [choice], depth)));
  }

  #readAll(schema: JsonObject, parts: readonly JsonValue[], depth: number): ExprType {
    const { allOf: _all, ...beside } = schema;
    const types = [this.read(beside, depth + 1), ...parts.map(part => this.read(part, depth + 1))];
    return types.reduce(intersect);
  }

  #resolve(ref: string): JsonValue | undefined {
    if (ref !== '#' && !ref.startsWith('#/')) return undefined;
    let at: JsonValue | undefined = this.#root;
    for (const token of ref.split('/').slice(1)) {
      const key = decodeToken(token);
      if (Array.isArray(at)) at = at[Number(key)] as JsonValue | undefined;
      else at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
    }
    return at;
  }
}

function decodeToken(token: string): string {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return token;
  }
}

function impliedKind(schema: JsonObject): string | undefined {
  if (isJsonObject(schema.properties)) return 'object';
  return schema.items !== undefined || schema.prefixItems !== undefined ? 'array' : undefined;
}

function typeOfValue(value: JsonValue): ExprType {
  if (value === null) return NULL;
  if (typeof value === 'boolean') return BOOL;
  if (typeof value === 'string') return { kind: 'string', values: [value] };
  if (typeof value === 'number') return Number.isInteger(value) ? INT : DOUBLE;
  return Array.isArray(value) ? { kind: 'list', items: unionOf(value.map(typeOfValue)) } : { kind: 'map', values: DYN };
}

/** What holds when both do. Where neither side says more, the first one stands. */
function intersect(a: ExprType, b: ExprType): ExprType {
  if (a.kind === 'dyn') return b;
  if (b.kind === 'dyn') return a;
  if (a.kind === 'object' && b.kind === 'object') {
    const props: Record<string, ExprProperty> = { ...a.props };
    for (const [name, property] of Object.entries(b.props)) {
      const known = Object.hasOwn(a.props, name) ? a.props[name] : undefined;
      props[name] =
        known === undefined
          ? property
          : { type: intersect(known.type, property.type), optional: known.optional && property.optional };
    }
    return { kind: 'object', props, open: a.open || b.open };
  }
  if (a.kind === 'map' && b.kind === 'object') return b;
  if (b.kind === 'union') return unionOf(b.of.map(member => intersect(a, member)));
  if (b.kind === 'int' && a.kind === 'double') return b;
  if (b.kind === 'string' && b.values !== undefined && a.kind === 'string' && a.values === undefined) return b;
  return a;
}
