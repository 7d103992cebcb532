import { END, type GraphDefinition, type NodeDefinition, type RouteDefinition } from './definition.ts';

/** One way from a node to one target; `to` is a node that exists or `end`. */
export interface Edge {
  readonly from: string;
  /** Index of the route among the node's routes. */
  readonly route: number;
  /** Index of the target within the route. */
  readonly target: number;
  readonly to: string;
}

export function routesOf(graph: GraphDefinition, node: string): readonly RouteDefinition[] {
  return Object.hasOwn(graph.routes, node) ? graph.routes[node]! : [];
}

export function nodeOf(graph: GraphDefinition, name: string): NodeDefinition | undefined {
  return Object.hasOwn(graph.nodes, name) ? graph.nodes[name] : undefined;
}

/** The edges out of a node; targets that name no node are left out (they are a fault of their own). */
export function edgesFrom(graph: GraphDefinition, from: string): Edge[] {
  return routesOf(graph, from).flatMap((route, index) =>
    route.to
      .map((to, target) => ({ from, route: index, target, to }))
      .filter(edge => edge.to === END || Object.hasOwn(graph.nodes, edge.to)),
  );
}

/** Whether the node closes a scope: it says `join:`, or it is of type `join` (then `all` by default). */
export function isJoin(node: NodeDefinition | undefined): boolean {
  return node !== undefined && (node.join !== undefined || node.type === 'join');
}

/** Whether work that goes well may take the route: it does not stand for failures and limits alone. */
export function isNormal(route: RouteDefinition): boolean {
  return route.on === undefined || route.on.some(outcome => outcome !== 'failed' && outcome !== 'limit');
}

/** All nodes that can be visited from `start`, itself included, in the order they are found. */
export function reachableFrom(graph: GraphDefinition, start: string): Set<string> {
  const found = new Set<string>();
  const open = Object.hasOwn(graph.nodes, start) ? [start] : [];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (found.has(node)) continue;
    found.add(node);
    for (const edge of edgesFrom(graph, node)) if (edge.to !== END) open.push(edge.to);
  }
  return found;
}
