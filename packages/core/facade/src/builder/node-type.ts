import { type Fault, fromStandardSchema, type JsonObject, type JsonValue, type Validator } from '@signalbox/kernel';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { NodeTypeRegistry } from '../loader/node-type-registry.ts';
import { writtenSchema } from './assembly.ts';
import type { NodeTypeContext } from './context.ts';
import type { Handler, HandlerObject, OutputFrom, Returned } from './handler.ts';
import { present } from './present.ts';

/** A registered node type: code that graph files and `desk.node` use by name. */
export interface NodeType<With = unknown, Output = unknown> {
  readonly type: string;
  readonly rev: number;
  /** `type@rev`, the handler key. */
  readonly key: string;
  readonly output: StandardSchemaV1 | undefined;
  readonly handler: Handler;
  /** Types only; no value has it. */
  readonly types?: { readonly with: With; readonly output: Output };
}

interface NodeTypeOptions<WithSchema extends StandardSchemaV1, OutputSchema, Result>
  extends HandlerObject<NodeTypeContext<StandardSchemaV1.InferOutput<WithSchema>>, Result> {
  readonly type: string;
  /** Raised by the author when the meaning changes; default 1. */
  readonly rev?: number;
  /** Schema of the node's settings. */
  readonly with?: WithSchema;
  readonly output?: OutputSchema;
}

type AnySettings = StandardSchemaV1<JsonObject, JsonObject>;
type ReturnedBy<OutputSchema extends StandardSchemaV1> = Returned<StandardSchemaV1.InferInput<OutputSchema>, string>;

/** Registers code under a name. The handler's own types follow `with` and `output`. */
export function defineNodeType<Result, WithSchema extends StandardSchemaV1 = AnySettings>(
  options: NodeTypeOptions<WithSchema, undefined, Result>,
): NodeType<StandardSchemaV1.InferInput<WithSchema>, OutputFrom<Result>>;
export function defineNodeType<
  OutputSchema extends StandardSchemaV1,
  WithSchema extends StandardSchemaV1 = AnySettings,
>(
  options: NodeTypeOptions<WithSchema, OutputSchema, ReturnedBy<OutputSchema>> & { readonly output: OutputSchema },
): NodeType<StandardSchemaV1.InferInput<WithSchema>, StandardSchemaV1.InferOutput<OutputSchema>>;
export function defineNodeType(
  options: NodeTypeOptions<StandardSchemaV1, StandardSchemaV1 | undefined, unknown>,
): NodeType {
  const { type, rev = 1, with: schema, output, ...work } = options;
  const settings = schema === undefined ? {} : { settings: fromStandardSchema(schema) };
  return Object.freeze({ type, rev, key: `${type}@${rev}`, output, handler: { ...work, ...settings } });
}

/** `InvalidSettings` for each thing wrong with what a node sets. */
export function checkSettings(settings: JsonValue, validator: Validator, pointer: string): Fault[] {
  const result = validator.validate(settings);
  if (result.ok) return [];
  return result.issues.map(issue => ({
    code: 'InvalidSettings',
    severity: 'error',
    pointer: pointer + issue.pointer,
    message: `${issue.pointer === '' ? 'What is set' : `\`${issue.pointer.slice(1)}\``} ${issue.message}.`,
  }));
}

/** The types as the loader of graph files takes them. */
export function declarationsOf(types: readonly NodeType[]): NodeTypeRegistry {
  return Object.fromEntries(
    types.map(({ type, rev, output, handler }) => [
      type,
      present({
        rev,
        output: output && writtenSchema(fromStandardSchema(output)),
        with: handler.settings && writtenSchema(handler.settings),
      }),
    ]),
  );
}
