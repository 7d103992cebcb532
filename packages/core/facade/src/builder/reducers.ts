import { type Reducer, SignalboxError } from '@signalbox/kernel';
import type { StandardSchemaV1 } from '@standard-schema/spec';

declare const REDUCER: unique symbol;

/** Carries the reducer in a schema's output type; no value ever has it. */
export interface Reduced<Name extends Reducer> {
  readonly [REDUCER]?: Name;
}

/** The reducer that the type of a state key carries, `replace` where it carries none. */
export type ReducerOf<Value> = typeof REDUCER extends keyof NonNullable<Value>
  ? Extract<NonNullable<Value>[typeof REDUCER], Reducer>
  : 'replace';

/** The type without the mark; for objects under `merge`, whose members would show it. */
export type WithoutReducer<Value> = { [Key in keyof Value as Key extends typeof REDUCER ? never : Key]: Value[Key] };

/** A schema whose output type carries a reducer, still a schema of its own library. */
export type WithReducer<Schema extends StandardSchemaV1, Name extends Reducer> = Schema extends {
  readonly _zod: { readonly output: infer Output };
}
  ? Schema & { readonly _zod: { readonly output: Output & Reduced<Name> } }
  : Schema & StandardSchemaV1<unknown, StandardSchemaV1.InferOutput<Schema> & Reduced<Name>>;

/** `ctx.update` takes a list of what is added. Starts as `[]`. */
export function append<Schema extends StandardSchemaV1<unknown, readonly unknown[]>>(
  schema: Schema,
): WithReducer<Schema, 'append'> {
  return mark(schema, 'append');
}

/** `ctx.update` takes the members that are set; the others stay. Starts as `{}`. */
export function merge<Schema extends StandardSchemaV1<unknown, object>>(schema: Schema): WithReducer<Schema, 'merge'> {
  return mark(schema, 'merge');
}

/** `ctx.update` takes what is added. Starts as 0. */
export function sum<Schema extends StandardSchemaV1<unknown, number>>(schema: Schema): WithReducer<Schema, 'sum'> {
  return mark(schema, 'sum');
}

/** Keeps the lesser of what is there and what is written. Absent at the start. */
export function min<Schema extends StandardSchemaV1<unknown, number>>(schema: Schema): WithReducer<Schema, 'min'> {
  return mark(schema, 'min');
}

/** Keeps the greater of what is there and what is written. Absent at the start. */
export function max<Schema extends StandardSchemaV1<unknown, number>>(schema: Schema): WithReducer<Schema, 'max'> {
  return mark(schema, 'max');
}

/** The last write holds. What a key does without a mark; said aloud where that helps a reader. */
export function replace<Schema extends StandardSchemaV1>(schema: Schema): Schema {
  return schema;
}

/**
 * The mark is the schema's own metadata, which its library writes into the JSON Schema as `reducer`: the very keyword
 * that a graph file uses, so that both say the same.
 */
function mark<Schema extends StandardSchemaV1, Name extends Reducer>(
  schema: Schema,
  reducer: Name,
): WithReducer<Schema, Name> {
  if (!hasMeta(schema)) {
    throw new SignalboxError('UnsupportedSchema', `${reducer}() needs a schema with metadata, such as one of Zod 4.`, {
      hint: 'Use a schema that has a `meta` method, or write the graph as data with `reducer` in its state.',
    });
  }
  return schema.meta({ reducer }) as WithReducer<Schema, Name>;
}

function hasMeta(schema: object): schema is { meta(data: { readonly reducer: Reducer }): unknown } {
  return 'meta' in schema && typeof schema.meta === 'function';
}
