import { compileBudget } from '../budget/compile-budget.ts';
import { pointerTo } from '../error/fault.ts';
import type { JsonObject } from '../json/value.ts';
import { compileJsonSchema } from '../schema/json-schema.ts';
import { parseDuration } from '../time/duration.ts';
import type { CompileContext } from './compile-context.ts';
import { compileGuard, compileNode } from './compile-node.ts';
import { GRAPH_DEFAULTS } from './defaults.ts';
import type { GraphDefinition, GraphLimits, MapNode, NodeDefinition } from './definition.ts';
import { routesOf } from './flow.ts';
import { GraphTypes } from './graph-types.ts';
import { limitQuestion } from './limit-question.ts';
import type { CompiledGraph, CompiledLimits, CompiledNode, CompiledRoute } from './program.ts';
import { restartTargets } from './restart-targets.ts';
import { compileStateKey } from './state-keys.ts';
import { analyzeStructure, type Structure } from './structure.ts';

export const BODY = 'body';
const ANYTHING: JsonObject = {};

interface GraphPlace {
  /** In the program: '' or `a/b`. */
  readonly key: string;
  /** In the definition: '' or `/graphs/a/graphs/b`. */
  readonly pointer: string;
  /** It is run for the items of a map. */
  readonly isItem: boolean;
}

/** Puts a graph, the graphs in it and its map bodies into the context's `graphs`. */
export function compileParts(context: CompileContext, place: GraphPlace): void {
  const { graph, code, compiler } = context;
  const { key, pointer, isItem } = place;
  const structure = analyzeStructure(graph, pointer);
  const types = new GraphTypes(graph, structure, isItem);
  const state = Object.entries(graph.state).map(
    ([name, definition]) =>
      [name, compileStateKey(name, definition, pointerTo(`${pointer}/state`, name), code)] as const,
  );
  const compiled: CompiledGraph = {
    key,
    definition: graph,
    entry: graph.entry,
    nodes: new Map(),
    state: new Map(state),
    input: code?.validators?.get(`${pointer}/input`) ?? compileJsonSchema(graph.input),
    output: compiler.compileMap(graph.output, `${pointer}/output`, types.end()),
    zone: graph.zone ?? GRAPH_DEFAULTS.zone,
    limits: compileLimits(graph.limits),
    scopeOf: new Map([...structure.scopeOf].map(([node, scope]) => [node, structure.scopes.get(scope)?.fork ?? ''])),
    body: false,
  };
  context.graphs.set(key, { ...compiled, nodes: compileNodes(context, place, structure, types, compiled) });
  for (const [name, inner] of Object.entries(graph.graphs ?? {})) {
    compileParts(context.of(inner), {
      key: key === '' ? name : `${key}/${name}`,
      pointer: pointerTo(`${pointer}/graphs`, name),
      isItem: runsForItems(graph, name),
    });
  }
}

function compileNodes(
  context: CompileContext,
  { key, pointer }: GraphPlace,
  structure: Structure,
  types: GraphTypes,
  owner: CompiledGraph,
): ReadonlyMap<string, CompiledNode> {
  const targets = restartTargets(context, structure);
  return new Map(
    Object.entries(context.graph.nodes).map(([name, definition]) => {
      const at = pointerTo(`${pointer}/nodes`, name);
      const place = {
        name,
        pointer: at,
        before: types.before(name),
        after: types.after(name),
        said: types.said(name),
        routes: compileRoutes(context, pointer, name, structure, types),
        restartTarget: targets.has(name),
        graph: graphKey(key, definition, `${key}#${name}`),
      };
      if (definition.type === 'map') {
        compileBody(
          context,
          owner,
          { key: place.graph!, pointer: `${at}/body/node`, map: name, types },
          bodyOf(definition),
        );
      }
      return [name, compileNode(definition, place, context)];
    }),
  );
}

function compileRoutes(
  context: CompileContext,
  pointer: string,
  name: string,
  structure: Structure,
  types: GraphTypes,
): CompiledRoute[] {
  return routesOf(context.graph, name).map((route, index) => {
    const at = `${pointerTo(`${pointer}/routes`, name)}/${index}`;
    return {
      index,
      to: route.to,
      on: route.on && new Set(route.on),
      when:
        route.when === undefined
          ? undefined
          : compileGuard(route.when, `${at}/when`, types.guard(name, route), context),
      predicate: route.predicate === undefined ? undefined : context.code?.predicates?.get(route.predicate),
      because: route.because,
      join: structure.joinOf(name, index),
    };
  });
}

interface BodyPlace {
  readonly key: string;
  readonly pointer: string;
  readonly map: string;
  readonly types: GraphTypes;
}

/** A node as the body of a map: a graph of that one node, which reads and writes the state of the map's own scope. */
function compileBody(context: CompileContext, owner: CompiledGraph, place: BodyPlace, node: NodeDefinition): void {
  const { key, pointer, map, types } = place;
  const graph: GraphDefinition = {
    name: `${context.graph.name}.${map}`,
    input: ANYTHING,
    state: {},
    entry: BODY,
    nodes: { [BODY]: node },
    routes: {},
  };
  const after = types.body(map, types.bodyOutput(node));
  const compiled = compileNode(
    node,
    {
      name: BODY,
      pointer,
      before: types.body(map, { kind: 'dyn' }),
      after,
      said: after,
      routes: [],
      restartTarget: context.restarts,
      graph: graphKey(owner.key, node, `${key}#${BODY}`),
    },
    context,
  );
  if (node.type === 'map') {
    compileBody(context, owner, { key: `${key}#${BODY}`, pointer: `${pointer}/body/node`, map, types }, bodyOf(node));
  }
  context.graphs.set(key, {
    ...owner,
    key,
    definition: graph,
    entry: BODY,
    nodes: new Map([[BODY, compiled]]),
    scopeOf: new Map([[BODY, '']]),
    input: compileJsonSchema(ANYTHING),
    output: undefined,
    body: true,
  });
}

function graphKey(key: string, node: NodeDefinition, bodyKey: string): string | undefined {
  const named = (name: string) => (key === '' ? name : `${key}/${name}`);
  if (node.type === 'subgraph') return named(node.graph);
  return node.type === 'map' ? bodyKey : undefined;
}

/** A graph as the body of a map is run by a subgraph node of its own for each item. */
function bodyOf(node: MapNode): NodeDefinition {
  if ('node' in node.body) return node.body.node;
  const { graph, share } = node.body;
  return { type: 'subgraph', graph, ...(share === undefined ? {} : { share }) };
}

function runsForItems(graph: GraphDefinition, name: string): boolean {
  const runs = (node: NodeDefinition): boolean => {
    if (node.type !== 'map') return false;
    return 'graph' in node.body ? node.body.graph === name : runs(node.body.node);
  };
  return Object.values(graph.nodes).some(runs);
}

function compileLimits(limits: GraphLimits = {}): CompiledLimits {
  return {
    maxSteps: limits.maxSteps ?? GRAPH_DEFAULTS.maxSteps,
    maxVisits: limits.maxVisits ?? GRAPH_DEFAULTS.maxVisits,
    maxSuccessive: limits.maxSuccessive,
    timeout: limits.timeout === undefined ? undefined : parseDuration(limits.timeout),
    noProgress: limits.noProgress ?? GRAPH_DEFAULTS.noProgress,
    maxChain: limits.maxChain ?? GRAPH_DEFAULTS.maxChain,
    budget: compileBudget(limits.budget),
    question: limitQuestion(limits.onReached),
  };
}
