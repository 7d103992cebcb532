import { hasKey, isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { MASK } from './mask.ts';
import { followRef } from './refs.ts';

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
  return isJsonObject(schema) ? new Masking(schema, options).mask(schema, value) : value;
}

export interface MaskOptions {
  /** A text where the schema marks something further in may hold that in another writing: it is masked whole. */
  readonly textsWhole?: boolean;
}

/** Each pair of schema and value is masked once: alternatives that overlap lead to the same parts at every level. */
class Masking {
  readonly #root: JsonObject;
  readonly #options: MaskOptions;
  readonly #masked = new Map<JsonObject, Map<JsonValue, JsonValue>>();

  constructor(root: JsonObject, options: MaskOptions) {
    this.#root = root;
    this.#options = options;
  }

  mask(schema: JsonValue | undefined, value: JsonValue): JsonValue {
    if (!isJsonObject(schema)) return value;
    const known = this.#masked.get(schema) ?? new Map<JsonValue, JsonValue>();
    this.#masked.set(schema, known);
    if (!known.has(value)) known.set(value, this.#masking(schema, value));
    return known.get(value)!;
  }

  #masking(written: JsonObject, value: JsonValue): JsonValue {
    const schema = followRef(written, this.#root);
    if (schema.sensitive === true) return MASK;
    if (typeof value === 'string' && this.#options.textsWhole === true && PARTS.some(part => marksWithin(schema, part)))
      return MASK;
    const own = Array.isArray(value)
      ? this.#items(schema, value)
      : isJsonObject(value)
        ? this.#members(schema, value)
        : value;
    return branchesOf(schema).reduce<JsonValue>((masked, branch) => this.mask(branch, masked), own);
  }

  #items(schema: JsonObject, items: readonly JsonValue[]): JsonValue {
    const first = Array.isArray(schema.prefixItems) ? (schema.prefixItems as readonly JsonValue[]) : [];
    const masked = items.map((item, index) => this.mask(first[index] ?? schema.items, item));
    return masked.some((item, index) => item !== items[index]) ? masked : items;
  }

  #members(schema: JsonObject, value: JsonObject): JsonObject {
    const named = isJsonObject(schema.properties) ? schema.properties : {};
    const changed: Record<string, JsonValue> = {};
    for (const [key, member] of Object.entries(value)) {
      const masked = this.mask(hasKey(named, key) ? named[key] : schema.additionalProperties, member);
      if (masked !== member) changed[key] = masked;
    }
    return Object.keys(changed).length === 0 ? value : { ...value, ...changed };
  }
}

/** Where a schema describes what is further in. */
const PARTS = ['properties', 'additionalProperties', 'items', 'prefixItems'] as const;

function marksWithin(schema: JsonObject, part: (typeof PARTS)[number]): boolean {
  return marksSensitive(schema[part] ?? null);
}

function branchesOf({ allOf, anyOf, oneOf, then, else: otherwise }: JsonObject): JsonValue[] {
  const lists = [allOf, anyOf, oneOf].flatMap(list => (Array.isArray(list) ? (list as readonly JsonValue[]) : []));
  return [...lists, ...[then, otherwise].filter(branch => branch !== undefined)];
}
