import { fromStandardSchema, isJsonObject, type JsonObject, type JsonValue, type Validator } from '@signalbox/kernel';
import { requireThat } from './shape.ts';

/** A schema of a library. */
export type Schema = Parameters<typeof fromStandardSchema>[0];

/** Made once for as long as the handler's code holds the schema. */
const validators = new WeakMap<Schema, Validator>();

export function validatorOf(schema: Schema | undefined): Validator | undefined {
  if (schema === undefined) return undefined;
  const isSchema =
    (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema;
  requireThat(isSchema, 'The schema of a signal is one of a schema library, such as zod.');
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const made = fromStandardSchema(schema);
  validators.set(schema, made);
  return made;
}

/** The schemas of a first-of's signals, by the name of the member. */
export function schemasOf(waits: Readonly<Record<string, unknown>>): ReadonlyMap<string, Validator> {
  const schemas = new Map<string, Validator>();
  for (const [name, wait] of Object.entries(waits)) {
    if (!isJsonObject(wait) || !('signal' in wait)) continue;
    const validator = validatorOf((wait as { readonly schema?: Schema }).schema);
    if (validator !== undefined) schemas.set(name, validator);
  }
  return schemas;
}

/**
 * The JSON Schema by which a sender is refused. Where the library gives out no unknown key it takes none in, although its
 * JSON Schema of what comes in does not say so.
 */
export function senderSchema({ json, stored }: Validator): JsonObject {
  return closed(json, stored) as JsonObject;
}

function closed(taken: JsonValue, given: JsonValue | undefined): JsonValue {
  if (Array.isArray(taken))
    return Array.isArray(given) ? taken.map((item: JsonValue, index) => closed(item, given[index])) : taken;
  if (!isJsonObject(taken) || given === undefined || !isJsonObject(given)) return taken;
  const members = Object.entries(taken).map(([key, value]) => [key, closed(value, given[key])] as const);
  const isOpen = taken.type === 'object' && taken.additionalProperties === undefined;
  const isClosed = isOpen && given.additionalProperties === false;
  return { ...Object.fromEntries(members), ...(isClosed ? { additionalProperties: false } : {}) } as JsonObject;
}
