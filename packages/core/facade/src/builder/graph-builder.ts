import type { JoinMode, JsonValue } from '@signalbox/kernel';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { AgentOptions } from './agent.ts';
import type { CompensationContext, NodeContext } from './context.ts';
import type { Graph, GraphInput, GraphOutput, GraphState } from './graph.ts';
import type { GraphTypes, ShapeOf } from './graph-types.ts';
import type { HandlerFor, OutputFrom, Returned } from './handler.ts';
import type {
  AskNodeOptions,
  AskOutcome,
  Branches,
  CollectedError,
  FailOptions,
  MapOptions,
  NodeOptions,
  NodeSpec,
  StepOptions,
  WaitOptions,
  WaitOutput,
  WorkOutcome,
} from './node-spec.ts';
import type { NodeType } from './node-type.ts';
import type { Answer, AskRequest, AskWithForm, AskWithOptions, Chosen, Option } from './request.ts';
import type { GraphParts, NodeSpecs, OutputsOf, RunOutput, Targets } from './routes.ts';

type Work<Output, Ref extends string = never> = NodeSpec<Output, Ref, WorkOutcome>;

/** What a handler gets as `given`: its `input` map by key, else the last output of its token. */
type GivenBy<Key extends string> = [Key] extends [never] ? JsonValue : { readonly [Name in Key]: JsonValue };

type Context<Types extends GraphTypes, Key extends string = never> = NodeContext<
  Types['input'],
  Types['state'],
  GivenBy<Key>
>;

type Compensate<Types extends GraphTypes, Output> = (
  context: CompensationContext<Types['input'], Types['state'], Output>,
) => void | Promise<void>;

/** `Key` are the names of the node's `input` map. */
type StepWith<Types extends GraphTypes, Ref extends string, Key extends string> = StepOptions<Types['state'], Ref> & {
  readonly input?: Readonly<Record<Key, string>>;
};

type SharedKeys<Types extends GraphTypes, Inner> = (keyof Types['state']['update'] & keyof GraphState<Inner>)[];

/**
 * Makes the nodes of one graph, and at last the graph. Expressions are CEL, durations texts (`30s`, `2h`, ISO 8601).
 * Nothing is checked before `build`.
 */
export interface GraphBuilder<Types extends GraphTypes> {
  /** A node whose work is code; without `output` its type is what the handler returns. */
  step<Result>(handler: HandlerFor<Context<Types>, Returned<Result, never>>): Work<OutputFrom<Result>>;
  step<Result, const Ref extends string = never, const Key extends string = never>(
    options: StepWith<Types, Ref, Key> & {
      readonly output?: undefined;
      readonly compensate?: Compensate<Types, JsonValue>;
    },
    handler: HandlerFor<Context<Types, Key>, Returned<Result, NoInfer<Ref>>>,
  ): Work<OutputFrom<Result>, Ref>;
  step<Output extends StandardSchemaV1, const Ref extends string = never, const Key extends string = never>(
    options: StepWith<Types, Ref, Key> & {
      readonly output: Output;
      readonly compensate?: Compensate<Types, StandardSchemaV1.InferOutput<Output>>;
    },
    handler: HandlerFor<Context<Types, Key>, Returned<StandardSchemaV1.InferInput<Output>, NoInfer<Ref>>>,
  ): Work<StandardSchemaV1.InferOutput<Output>, Ref>;

  /** A node of a registered type. */
  node<With, Output, const Ref extends string = never>(
    type: NodeType<With, Output>,
    options?: NodeOptions<Types['state'], Ref> & {
      readonly with?: NoInfer<With>;
      readonly compensate?: Compensate<Types, Output>;
    },
  ): Work<Output, Ref>;

  /** A model that works by a prompt, and reaches the world by what its contract allows; see `docs/guides/agents.md`. */
  agent<Output extends StandardSchemaV1, const Ref extends string = never>(
    options: AgentOptions<Context<Types>, Types['state'], Ref> & { readonly output: Output },
  ): Work<StandardSchemaV1.InferOutput<Output>, Ref>;
  agent<const Ref extends string = never>(
    options: AgentOptions<Context<Types>, Types['state'], Ref> & { readonly output?: undefined },
  ): Work<JsonValue, Ref>;

  /** A question to the outside; the output is the answer. `update` acts on an approval or an edit alone. */
  ask<Form extends StandardSchemaV1, const Ref extends string = never>(
    options: AskNodeOptions<Types['state'], Ref> & AskWithForm<Form, Types['state'], Ref>,
  ): NodeSpec<Answer<StandardSchemaV1.InferOutput<Form>>, Ref, AskOutcome>;
  ask<const Options extends readonly Option[], const Ref extends string = never>(
    options: AskNodeOptions<Types['state'], Ref> & AskWithOptions<Options, Types['state'], Ref>,
  ): NodeSpec<Answer<{ choice: Chosen<Options> }>, Ref, AskOutcome>;
  ask<const Ref extends string = never>(
    options: AskNodeOptions<Types['state'], Ref> & AskRequest<Types['state'], Ref>,
  ): NodeSpec<Answer, Ref, AskOutcome>;

  /** Reckons with expressions alone; without `output` it gives out what it got. */
  transform<const Key extends string = never, const Ref extends string = never>(
    options: NodeOptions<Types['state'], Ref> & { readonly output?: Readonly<Record<Key, string>> },
  ): Work<GivenBy<Key>, Ref>;

  /** Waits for a time, a signal, a condition, or with `first` for whichever comes first. */
  wait<const Options extends WaitOptions, const Ref extends string = never>(
    options: NodeOptions<Types['state'], Ref> & Options,
  ): Work<WaitOutput<Options>, Ref>;

  /** Runs the body for each item; the output is a list by index. */
  map<Output, const Ref extends string = never>(
    options: NodeOptions<Types['state'], Ref> & MapOptions<Output> & { readonly onError: 'collect' },
  ): Work<readonly (Output | CollectedError)[], Ref>;
  map<Output, const Ref extends string = never>(
    options: NodeOptions<Types['state'], Ref> & MapOptions<Output> & { readonly onError?: 'fail' },
  ): Work<readonly Output[], Ref>;

  /** Runs another graph in the same run, with state of its own but for the keys named in `share`. */
  subgraph<Inner extends Graph, const Ref extends string = never>(
    graph: Inner,
    options?: Omit<NodeOptions<Types['state'], Ref>, 'input'> & {
      readonly input?: { readonly [Key in keyof GraphInput<Inner>]?: string };
      readonly share?: Readonly<SharedKeys<Types, Inner>>;
    },
  ): Work<GraphOutput<Inner>, Ref>;

  /** Closes a fork and gives out its branches in order. */
  join<const Ref extends string = never>(
    mode?: JoinMode,
    options?: Omit<NodeOptions<Types['state'], Ref>, 'join'>,
  ): Work<Branches, Ref>;

  /** Ends its token in an error. */
  fail(options?: NodeOptions<Types['state'], never> & FailOptions): Work<never>;

  /**
   * Checks the whole graph.
   * @throws SignalboxError `InvalidGraph` with all faults, in the message and in `details.faults`.
   */
  build<const Nodes extends NodeSpecs, To extends Targets<Nodes>, const Key extends string = never>(
    parts: GraphParts<Types, Nodes, To> & {
      /** The run's output; absent: the output of the node at which the last token ended. */
      readonly output?: Readonly<Record<Key, string>>;
    },
  ): Graph<Types['start'], RunOutput<Nodes, To, Key>, ShapeOf<Types, OutputsOf<Nodes>>>;
}
