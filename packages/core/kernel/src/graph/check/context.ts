import type { Fault } from '../../error/fault.ts';
import { pointerTo } from '../../error/fault.ts';
import type { GraphDefinition, NodeDefinition } from '../definition.ts';
import type { PlacedExpression } from '../expression-compiler.ts';
import { nodeOf } from '../flow.ts';
import type { CompiledGraph } from '../program.ts';
import type { Structure } from '../structure.ts';

/** One graph under check. All of it is well shaped; names may still lead nowhere. */
export interface CheckContext {
  readonly graph: GraphDefinition;
  /** Where the graph stands in the definition. */
  readonly pointer: string;
  readonly structure: Structure;
  readonly compiled: CompiledGraph;
  /** Of the map bodies of this graph, by the map's name. */
  readonly bodies: ReadonlyMap<string, CompiledGraph>;
  readonly root: GraphDefinition;
  /** Of the whole definition. */
  readonly expressions: readonly PlacedExpression[];
}

export type Check = (context: CheckContext) => Fault[];

/** A node of the graph or the body of one of its maps, with what stands around it. */
export interface PlacedNode {
  /** Of the node in the graph; a body goes by the name of its map. */
  readonly name: string;
  readonly node: NodeDefinition;
  readonly pointer: string;
  readonly isBody: boolean;
}

export function placedNodes({ graph, pointer }: CheckContext): PlacedNode[] {
  return Object.entries(graph.nodes).flatMap(([name, node]) =>
    withBodies({ name, node, pointer: pointerTo(`${pointer}/nodes`, name), isBody: false }),
  );
}

function withBodies(placed: PlacedNode): PlacedNode[] {
  const { node, pointer } = placed;
  if (node.type !== 'map' || !('node' in node.body)) return [placed];
  return [placed, ...withBodies({ ...placed, node: node.body.node, pointer: `${pointer}/body/node`, isBody: true })];
}

export function eachNode(check: (placed: PlacedNode, context: CheckContext) => Fault[]): Check {
  return context => placedNodes(context).flatMap(placed => check(placed, context));
}

export function routePointer({ pointer }: CheckContext, node: string, route: number): string {
  return `${pointerTo(`${pointer}/routes`, node)}/${route}`;
}

/** Without it nothing can be said of what is reached. */
export function hasEntry({ graph }: CheckContext): boolean {
  return nodeOf(graph, graph.entry) !== undefined;
}
