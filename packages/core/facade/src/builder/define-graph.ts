import { type GraphDefinition, pointerTo } from '@signalbox/kernel';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { Assembly } from './assembly.ts';
import { finishGraph } from './compile.ts';
import type { Graph } from './graph.ts';
import type { GraphBuilder } from './graph-builder.ts';
import { type HandlerFor, toHandler } from './handler.ts';
import { type GraphLimitOptions, limitsOf } from './limits.ts';
import { nodeDefinition } from './node-definition.ts';
import { type NodeRecipe, type NodeSpec, nodeSpec } from './node-spec.ts';
import { present } from './present.ts';
import { type AnyRoute, routeDefinitions } from './route-definition.ts';
import { stateDefinition } from './state-definition.ts';
import type { StateTypesOf } from './state-types.ts';

export interface GraphOptions<Name extends string, Input extends StandardSchemaV1, State extends StandardSchemaV1> {
  readonly name: Name;
  readonly title?: string;
  readonly description?: string;
  readonly input: Input;
  /** An object schema, whose keys may be marked with `append`, `merge`, `sum`, `min`, `max`. */
  readonly state?: State;
  readonly limits?: GraphLimitOptions;
  /** IANA zone in which local times of this graph are read; default UTC. */
  readonly zone?: string;
}

type NoState = StandardSchemaV1<Record<never, never>, Record<never, never>>;

/** Begins a graph: gives the builder of its nodes, whose types follow `input` and `state`. */
export function defineGraph<
  const Name extends string,
  Input extends StandardSchemaV1,
  State extends StandardSchemaV1 = NoState,
>(
  options: GraphOptions<Name, Input, State>,
): GraphBuilder<{
  readonly name: Name;
  readonly start: StandardSchemaV1.InferInput<Input>;
  readonly input: StandardSchemaV1.InferOutput<Input>;
  readonly state: StateTypesOf<State>;
}> {
  // The builder's types are promises about values that it never looks at; see `graph-builder.ts`.
  return Object.freeze({ ...NODES, build: (parts: Parts) => buildGraph(options, parts) }) as never;
}

type Options<Kind extends NodeRecipe['kind']> = Extract<NodeRecipe, { kind: Kind }>['options'];

const NODES = {
  step: (first: object, handler?: HandlerFor<never, unknown>): NodeSpec =>
    handler === undefined
      ? nodeSpec({ kind: 'step', options: {}, handler: toHandler(first as HandlerFor<never, unknown>) })
      : nodeSpec({ kind: 'step', options: first, handler: toHandler(handler) }),
  node: (type: Extract<NodeRecipe, { kind: 'typed' }>['type'], options: Options<'typed'> = {}): NodeSpec =>
    nodeSpec({ kind: 'typed', type, options }),
  agent: (options: Options<'agent'>): NodeSpec => nodeSpec({ kind: 'agent', options }),
  ask: (options: Options<'ask'>): NodeSpec => nodeSpec({ kind: 'ask', options }),
  transform: (options: Options<'transform'>): NodeSpec => nodeSpec({ kind: 'transform', options }),
  wait: (options: Options<'wait'>): NodeSpec => nodeSpec({ kind: 'wait', options }),
  map: (options: Options<'map'>): NodeSpec => nodeSpec({ kind: 'map', options }),
  subgraph: (graph: Graph, options: Options<'subgraph'> = {}): NodeSpec =>
    nodeSpec({ kind: 'subgraph', graph, options }),
  join: (join: Options<'join'>['join'] = 'all', options: Options<'join'> = {}): NodeSpec =>
    nodeSpec({ kind: 'join', options: { ...options, join } }),
  fail: (options: Options<'fail'> = {}): NodeSpec => nodeSpec({ kind: 'fail', options }),
};

interface Parts {
  readonly entry: string;
  readonly nodes: Readonly<Record<string, NodeSpec>>;
  readonly routes: Readonly<Record<string, readonly AnyRoute[]>>;
  readonly output?: Readonly<Record<string, string>>;
}

function buildGraph(
  options: GraphOptions<string, StandardSchemaV1, StandardSchemaV1>,
  { entry, nodes, routes, output }: Parts,
): Graph {
  const { name, title, description, limits, zone } = options;
  const assembly = new Assembly(name);
  const definition: GraphDefinition = present({
    name,
    title,
    description,
    input: assembly.json(options.input, '/input') ?? {},
    state: options.state === undefined ? {} : stateDefinition(options.state, assembly),
    output,
    entry,
    nodes: mapValues(nodes, (spec, node) =>
      nodeDefinition(spec, { path: `${name}/${node}`, pointer: pointerTo('/nodes', node) }, assembly),
    ),
    routes: mapValues(routes, (list, node) => routeDefinitions(node, list, assembly)),
    limits: limitsOf(limits),
    zone,
  });
  const { code, handlers, faults } = assembly;
  const graphs = assembly.graphs.size === 0 ? {} : { graphs: assembly.inner };
  return finishGraph({ definition: { ...definition, ...graphs }, code, handlers, faults });
}

function mapValues<From, To>(
  values: Readonly<Record<string, From>>,
  to: (value: From, key: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, to(value, key)]));
}
