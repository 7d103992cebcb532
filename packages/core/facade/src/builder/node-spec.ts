import type {
  BranchResult,
  DecidesDefinition,
  JoinMode,
  JsonObject,
  JsonValue,
  Outcome,
  RetryPolicy,
  Templated,
} from '@signalbox/kernel';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { AgentParts } from './agent-parts.ts';
import type { Graph } from './graph.ts';
import type { Handler } from './handler.ts';
import type { NodeLimitOptions } from './limits.ts';
import type { NodeType } from './node-type.ts';
import type { AskRequest, AskWithForm, UpdateMap } from './request.ts';
import type { StateTypes } from './state-types.ts';

export const SPEC: unique symbol = Symbol.for('signalbox.nodeSpec');

/**
 * A node before it has a name. `Output` is the type of its output, `Ref` the names of other nodes that it speaks of
 * (`next`, fallback, restart targets), `On` the outcomes that its routes may select.
 */
export interface NodeSpec<Output = unknown, Ref extends string = string, On extends Outcome = Outcome> {
  readonly [SPEC]: NodeRecipe;
  /** Types only; no value has it. */
  readonly types?: { readonly output: Output; readonly ref: Ref; readonly on: On };
}

export type WorkOutcome = 'success' | 'failed' | 'skipped' | 'limit';
export type AskOutcome = WorkOutcome | 'approve' | 'edit' | 'reject' | 'cancel' | 'expired';

export type OutputOf<Spec> = Spec extends NodeSpec<infer Output> ? Output : never;
export type RefOf<Spec> = Spec extends NodeSpec<unknown, infer Ref> ? Ref : never;
export type OnOf<Spec> = Spec extends NodeSpec<unknown, string, infer On> ? On : never;

/** What every node may say; expressions are CEL, durations texts. See `NodeCommon` of the kernel. */
export interface NodeOptions<State extends StateTypes = StateTypes, Ref extends string = string> {
  readonly title?: string;
  readonly description?: string;
  readonly input?: Readonly<Record<string, string>>;
  readonly update?: UpdateMap<State>;
  /** A message to the run's session when the node succeeds, of an `ask` on `approve` and `edit`: a text, or CEL. */
  readonly say?: Templated<string>;
  readonly decides?: DecidesDefinition;
  /** A number is the number of tries in all. */
  readonly retry?: number | RetryPolicy;
  readonly timeout?: string;
  readonly deadline?: string;
  /** A node whose output stands in, or the last good output of this one. */
  readonly fallback?: Ref | { readonly node?: Ref; readonly lastGood?: { readonly maxAge: string } };
  readonly limits?: NodeLimitOptions;
  readonly join?: JoinMode;
}

/** The title and the deadline of an `ask` node are those of its request. */
export type AskNodeOptions<State extends StateTypes = StateTypes, Ref extends string = string> = Omit<
  NodeOptions<State, Ref>,
  'title' | 'deadline'
>;

export interface StepOptions<State extends StateTypes = StateTypes, Ref extends string = string>
  extends NodeOptions<State, Ref> {
  /** Raised by the author when the handler's meaning changes; default 1. */
  readonly rev?: number;
  /** Where the handler may send the token by a routing wish. */
  readonly next?: readonly Ref[];
  /** Nodes that a `restart` asked from inside the handler may go back to. */
  readonly restartTargets?: readonly Ref[];
}

export type WaitOptions =
  | { readonly for: Templated<string> }
  | { readonly until: Templated<string> }
  | { readonly signal: string; readonly schema?: StandardSchemaV1 }
  | { readonly when: string }
  | { readonly first: Readonly<Record<string, WaitMember>> };

export type WaitMember =
  | Exclude<WaitOptions, { readonly first: unknown }>
  | { readonly ask: AskRequest | AskWithForm<StandardSchemaV1> };

export interface MapOptions<Output = unknown> {
  /** CEL, a list. */
  readonly items: string;
  /** A node gets the item as `given`, a graph as its input. */
  readonly body: NodeSpec<Output> | Graph<unknown, Output>;
  readonly share?: readonly string[];
  /** Items that execute at once; default 10. */
  readonly concurrency?: number;
  readonly onError?: 'fail' | 'collect';
  readonly maxItems?: number;
}

export interface FailOptions {
  /** Default `Failed`. */
  readonly code?: string;
  readonly message?: Templated<string>;
}

export type CollectedError = { readonly error: { readonly code: string; readonly message: string } };
export type Branches = readonly BranchResult[];

/** What a node is made from when the graph is built and its name is known. */
export type NodeRecipe =
  | {
      readonly kind: 'step';
      readonly options: StepOptions & { readonly output?: StandardSchemaV1; readonly compensate?: Handler['execute'] };
      readonly handler: Handler;
    }
  | {
      readonly kind: 'agent';
      readonly options: NodeOptions & AgentParts<never>;
    }
  | {
      readonly kind: 'typed';
      readonly options: NodeOptions & { readonly with?: unknown; readonly compensate?: Handler['execute'] };
      readonly type: NodeType;
    }
  | { readonly kind: 'ask'; readonly options: AskNodeOptions & (AskRequest | AskWithForm<StandardSchemaV1>) }
  | {
      readonly kind: 'transform';
      readonly options: NodeOptions & { readonly output?: Readonly<Record<string, string>> };
    }
  | { readonly kind: 'wait'; readonly options: NodeOptions & WaitOptions }
  | { readonly kind: 'map'; readonly options: NodeOptions & MapOptions }
  | {
      readonly kind: 'subgraph';
      readonly graph: Graph;
      readonly options: NodeOptions & { readonly share?: readonly string[] };
    }
  | { readonly kind: 'join'; readonly options: NodeOptions }
  | { readonly kind: 'fail'; readonly options: NodeOptions & FailOptions };

export function nodeSpec<Output, Ref extends string, On extends Outcome>(
  recipe: NodeRecipe,
): NodeSpec<Output, Ref, On> {
  return Object.freeze({ [SPEC]: recipe });
}

export function isNodeSpec(value: unknown): value is NodeSpec {
  return typeof value === 'object' && value !== null && SPEC in value;
}

export type WaitOutput<Options> = Options extends { readonly first: infer Members }
  ? {
      [Name in keyof Members & string]: {
        readonly winner: Name;
        readonly value: Members[Name] extends { readonly signal: string }
          ? SignalOutput<Members[Name]>
          : JsonObject | null;
      };
    }[keyof Members & string]
  : Options extends { readonly signal: string }
    ? SignalOutput<Options>
    : null;

type SignalOutput<Wait> = Wait extends { readonly schema: infer Schema extends StandardSchemaV1 }
  ? StandardSchemaV1.InferOutput<Schema>
  : JsonValue;
