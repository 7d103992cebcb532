import { END, type GraphDefinition, type NodeDefinition, type Outcome, type RouteDefinition } from './definition.ts';
import { edgesFrom, routesOf } from './flow.ts';

/** Whether only a node that did what it was there for (an answer: with values) takes the route. */
export function isTakenOnSuccess(node: NodeDefinition, route: RouteDefinition): boolean {
  const good: readonly Outcome[] = node.type === 'ask' ? ['approve', 'edit'] : ['success'];
  if (route.on !== undefined) return route.on.every(outcome => good.includes(outcome));
  return node.type !== 'ask';
}

/** Whether a node that takes the route gave an output: an answer of any kind is one. */
export function hasOutput(route: RouteDefinition): boolean {
  return route.on?.every(outcome => outcome !== 'failed' && outcome !== 'limit' && outcome !== 'skipped') ?? true;
}

/**
 * The nodes that a token can come to without having taken one of the `good` routes of `node` the last time it was there.
 * (What is before the last visit does not matter: whatever leads on from there leads on from the first visit as well.)
 */
export function reachedWithout(
  graph: GraphDefinition,
  node: string,
  good: (route: RouteDefinition) => boolean,
): ReadonlySet<string> {
  const routes = routesOf(graph, node);
  const found = new Set<string>();
  const open = [graph.entry];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (found.has(at)) continue;
    found.add(at);
    for (const { to, route } of edgesFrom(graph, at)) {
      if (to !== END && !(at === node && good(routes[route]!))) open.push(to);
    }
  }
  return found;
}
