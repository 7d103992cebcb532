import { hasKey, isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { REFERENCES } from './check-references.ts';
import { MASK } from './mask.ts';
import { compilePattern } from './pattern.ts';
import { findRef, hasInnerBase } from './refs.ts';

/** Whether a schema marks anything as `sensitive`. */
export function marksSensitive(schema: JsonValue): boolean {
  if (Array.isArray(schema)) return schema.some(marksSensitive);
  if (!isJsonObject(schema)) return false;
  return schema.sensitive === true || Object.values(schema).some(marksSensitive);
}

/**
 * The value with what its schema marks as `sensitive` masked; the value itself where there is nothing to mask. A mark
 * under any branch of a choice counts, whichever the value took.
 */
export function maskBySchema(schema: JsonValue, value: JsonValue, options: MaskOptions = {}): JsonValue {
  return isJsonObject(schema) && marksSensitive(schema) ? new Masking(schema, options).mask(schema, value) : value;
}

export interface MaskOptions {
  /** A text where the schema marks something further in may hold that in another writing: it is masked whole. */
  readonly textsWhole?: boolean;
}

/**
 * Each pair of schema and value is masked once: alternatives that overlap lead to the same parts at every level.
 *  1. Every schema that speaks of a value is asked, whether or not the value fits it: what is marked anywhere is hidden.
 *  2. Where it cannot be told what a schema that marks anything says (a reference that is not followed, names of keys), all that
 *     it speaks of is hidden.
 */
class Masking {
  readonly #root: JsonObject;
  readonly #options: MaskOptions;
  readonly #isOneResource: boolean;
  readonly #masked = new Map<JsonObject, Map<JsonValue, JsonValue>>();

  constructor(root: JsonObject, options: MaskOptions) {
    this.#root = root;
    this.#options = options;
    this.#isOneResource = !hasInnerBase(root);
  }

  mask(schema: JsonValue | undefined, value: JsonValue): JsonValue {
    if (!isJsonObject(schema)) return value;
    const known = this.#masked.get(schema) ?? new Map<JsonValue, JsonValue>();
    this.#masked.set(schema, known);
    if (!known.has(value)) {
      // A reference that leads back to here says nothing more.
      known.set(value, value);
      known.set(value, this.#masking(schema, value));
    }
    return known.get(value)!;
  }

  #masking(schema: JsonObject, value: JsonValue): JsonValue {
    if (schema.sensitive === true) return MASK;
    if (typeof value === 'string' && this.#options.textsWhole === true && this.#marksWithin(schema)) return MASK;
    const own = Array.isArray(value)
      ? this.#items(schema, value)
      : isJsonObject(value)
        ? this.#members(schema, value)
        : value;
    return this.#inPlace(schema).reduce<JsonValue>((masked, part) => this.mask(part, masked), own);
  }

  /** The schemas that speak of the same value. */
  #inPlace(schema: JsonObject): readonly JsonObject[] {
    const targets = REFERENCES.flatMap(keyword => {
      const ref = schema[keyword];
      if (typeof ref !== 'string') return [];
      return [(this.#isOneResource ? findRef(this.#root, ref) : undefined) ?? UNKNOWN];
    });
    return [...inPlaceOf(schema), ...targets].filter(isJsonObject);
  }

  #items(schema: JsonObject, items: readonly JsonValue[]): JsonValue {
    const masked = items.map((item, index) =>
      itemSchemas(schema, index, () => this.#isSpoken(schema, part => speaksOfItem(part, index))).reduce<JsonValue>(
        (shown, part) => this.mask(part, shown),
        item,
      ),
    );
    return masked.some((item, index) => item !== items[index]) ? masked : items;
  }

  #members(schema: JsonObject, value: JsonObject): JsonValue {
    if (marksSensitive(schema.propertyNames ?? null)) return MASK;
    const changed: Record<string, JsonValue> = {};
    for (const [key, member] of Object.entries(value)) {
      const speaking = memberSchemas(schema, key, () => this.#isSpoken(schema, part => speaksOfMember(part, key)));
      const masked = speaking.reduce<JsonValue>((shown, part) => this.mask(part, shown), member);
      if (masked !== member) changed[key] = masked;
    }
    return Object.keys(changed).length === 0 ? value : { ...value, ...changed };
  }

  /** Whether the schema, or one that speaks of the same value, says something of a part of it. */
  #isSpoken(schema: JsonObject, speaks: (part: JsonObject) => boolean, seen = new Set<JsonObject>()): boolean {
    if (seen.has(schema)) return false;
    seen.add(schema);
    return speaks(schema) || this.#inPlace(schema).some(part => this.#isSpoken(part, speaks, seen));
  }

  /** Whether anything further in is marked, references followed. */
  #marksWithin(schema: JsonObject): boolean {
    const seen = new Set<JsonValue>();
    const marks = (part: JsonValue | undefined): boolean => {
      if (typeof part !== 'object' || part === null || seen.has(part)) return false;
      seen.add(part);
      if (Array.isArray(part)) return part.some(marks);
      const { sensitive } = part as JsonObject;
      return sensitive === true || this.#inPlace(part as JsonObject).some(marks) || Object.values(part).some(marks);
    };
    return PARTS.some(part => marks(schema[part]));
  }
}

/** Of a reference that is not followed. */
const UNKNOWN: JsonObject = { sensitive: true };

/** Where a schema describes what is further in. */
const PARTS = [
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['items', 'prefixItems', 'contains', 'unevaluatedItems'],
];

/** `isSpoken`: whether any schema speaks of the member, so that it is not one of those that are left over. */
function memberSchemas(schema: JsonObject, key: string, isSpoken: () => boolean): readonly (JsonValue | undefined)[] {
  const named = namedSchemas(schema, key);
  const rest = named.length > 0 ? named : [schema.additionalProperties];
  const { unevaluatedProperties: left } = schema;
  return left === undefined || isSpoken() ? rest : [...rest, left];
}

function namedSchemas({ properties, patternProperties }: JsonObject, key: string): readonly JsonValue[] {
  const own = isJsonObject(properties) && hasKey(properties, key) ? [properties[key]!] : [];
  const byPattern = Object.entries(isJsonObject(patternProperties) ? patternProperties : {});
  return [...own, ...byPattern.flatMap(([pattern, of]) => (compilePattern(pattern).test(key) ? [of] : []))];
}

function speaksOfMember(schema: JsonObject, key: string): boolean {
  return schema.additionalProperties !== undefined || namedSchemas(schema, key).length > 0;
}

function itemSchemas(schema: JsonObject, index: number, isSpoken: () => boolean): readonly (JsonValue | undefined)[] {
  const rest = [firstOf(schema)[index] ?? schema.items, schema.contains];
  const { unevaluatedItems: left } = schema;
  return left === undefined || isSpoken() ? rest : [...rest, left];
}

function firstOf({ prefixItems }: JsonObject): readonly JsonValue[] {
  return Array.isArray(prefixItems) ? (prefixItems as readonly JsonValue[]) : [];
}

function speaksOfItem(schema: JsonObject, index: number): boolean {
  return schema.items !== undefined || index < firstOf(schema).length;
}

/** The schemas within one that speak of the very value that it speaks of, references aside. */
export function inPlaceOf(schema: JsonObject): readonly JsonValue[] {
  const { allOf, anyOf, oneOf, not, if: condition, then, else: otherwise, dependentSchemas, dependencies } = schema;
  const lists = [allOf, anyOf, oneOf].flatMap(list => (Array.isArray(list) ? (list as readonly JsonValue[]) : []));
  const byKey = [dependentSchemas, dependencies].flatMap(map => (isJsonObject(map) ? Object.values(map) : []));
  return [...lists, not, condition, then, otherwise, ...byKey].filter(part => part !== undefined);
}
