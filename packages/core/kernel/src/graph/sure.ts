import { END, type GraphDefinition, type NodeDefinition, type Outcome, type RouteDefinition } from './definition.ts';
import { edgesFrom, nodeOf, routesOf } from './flow.ts';

/** Whether only a node that did what it was there for (an answer: with values) takes the route. */
export function isTakenOnSuccess(node: NodeDefinition, route: RouteDefinition): boolean {
  const good: readonly Outcome[] = node.type === 'ask' ? ['approve', 'edit'] : ['success'];
  if (route.on !== undefined) return route.on.every(outcome => good.includes(outcome));
  return node.type !== 'ask';
}

/** The nodes that a token can come to without `node` having succeeded on the way, the last time it was there. */
export function reachedWithout(graph: GraphDefinition, node: string): ReadonlySet<string> {
  const definition = nodeOf(graph, node)!;
  const routes = routesOf(graph, node);
  const found = new Set<string>();
  const open = [graph.entry];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (found.has(at)) continue;
    found.add(at);
    for (const { to, route } of edgesFrom(graph, at)) {
      if (to === END || (at === node && isTakenOnSuccess(definition, routes[route]!))) continue;
      open.push(to);
    }
  }
  return found;
}
