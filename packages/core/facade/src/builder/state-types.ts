import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ReducerOf, WithoutReducer } from './reducers.ts';

/** What a graph's state is to read and to write. `view` is what handlers see, `update` what `ctx.update` takes. */
export interface StateTypes {
  readonly view: object;
  readonly update: object;
}

/** State whose keys nobody knows when the code is written: of registered node types. */
export interface AnyState {
  readonly view: Readonly<Record<string, unknown>>;
  readonly update: Readonly<Record<string, unknown>>;
}

export type DeepReadonly<Value> = Value extends string | number | boolean | bigint | null | undefined
  ? Value
  : unknown extends Value
    ? Value
    : Value extends readonly (infer Item)[]
      ? readonly DeepReadonly<Item>[]
      : { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> };

export interface StateTypesOf<Schema extends StandardSchemaV1> {
  readonly view: StateView<StandardSchemaV1.InferInput<Schema>, StandardSchemaV1.InferOutput<Schema>>;
  readonly update: StateUpdate<StandardSchemaV1.InferOutput<Schema>>;
}

/** Keys without a value at the start are optional, whatever the schema says: nobody may have written them yet. */
type StateView<Input, Output> = {
  readonly [Key in keyof Output as StartsWithValue<Input, Output, Key> extends true ? Key : never]-?: View<Output[Key]>;
} & {
  readonly [Key in keyof Output as StartsWithValue<Input, Output, Key> extends true ? never : Key]?: View<Output[Key]>;
};

/** True of the reducers that begin with an empty value, and of keys whose schema has a default. */
type StartsWithValue<Input, Output, Key extends keyof Output> =
  ReducerOf<Output[Key]> extends 'append' | 'merge' | 'sum'
    ? true
    : undefined extends Output[Key]
      ? false
      : Key extends keyof Input
        ? undefined extends Input[Key]
          ? true
          : false
        : false;

type View<Value> = {
  append: NonNullable<Value> extends readonly (infer Item)[] ? readonly DeepReadonly<Item>[] : never;
  merge: DeepReadonly<WithoutReducer<NonNullable<Value>>>;
  sum: number;
  min: number;
  max: number;
  replace: DeepReadonly<Value>;
}[ReducerOf<Value>];

type StateUpdate<Output> = { readonly [Key in keyof Output]?: Update<Output[Key]> };

type Update<Value> = {
  append: NonNullable<Value> extends readonly (infer Item)[] ? readonly DeepReadonly<Item>[] : never;
  merge: Partial<DeepReadonly<WithoutReducer<NonNullable<Value>>>>;
  sum: number;
  min: number;
  max: number;
  replace: DeepReadonly<Value>;
}[ReducerOf<Value>];
