import type { Fault } from '../error/fault.ts';
import type { GraphDefinition } from './definition.ts';
import { routesOf } from './flow.ts';
import { type Arrival, isAncestor, ROOT, type Scope, type ScopeWalk, walkScopes } from './scope-walk.ts';
import { structureFaults } from './structure-faults.ts';

/**
 * How the scopes of a graph nest.
 * 1. A route with several targets opens a scope; its targets, and what they lead to, are inside.
 * 2. The join of a scope is the node with `join:` that its branches reach; that node stands in the scope around it.
 * 3. Routes of one node that open scopes and share a node inside are one scope: at most one of them is open at a time.
 */
export interface Structure {
  readonly scopes: ReadonlyMap<string, Scope>;
  /** Of each node that a token can reach: the key of the scope it runs in, '' outside all forks. */
  readonly scopeOf: ReadonlyMap<string, string>;
  readonly faults: readonly Fault[];
  /** Of a route with several targets: the join that closes its scope; undefined when every branch can only end. */
  joinOf(node: string, route: number): string | undefined;
  /** Whether `outer` is `inner` itself or a scope around it. */
  encloses(outer: string, inner: string): boolean;
}

/** Never throws; what does not nest is told in `faults`. `pointer` is where the graph stands. */
export function analyzeStructure(graph: GraphDefinition, pointer = ''): Structure {
  const walk = walkScopes(graph);
  const scopes = new Map<string, Scope>();
  const byRoute = new Map<string, Scope>();
  for (const [key, { fork, parent, routes }] of walk.scopes) {
    const scope = { key, fork, parent, routes, join: joinOfScope(walk, key) };
    scopes.set(key, scope);
    for (const route of routes) byRoute.set(`${fork}#${route}`, scope);
  }
  return {
    scopes,
    scopeOf: walk.scopeOf,
    faults: structureFaults({ graph, pointer, walk, scopes }),
    joinOf: (node, route) => (isFork(graph, node, route) ? byRoute.get(`${node}#${route}`)?.join : undefined),
    encloses: (outer, inner) => outer === inner || isAncestor(walk, outer, inner),
  };
}

function isFork(graph: GraphDefinition, node: string, route: number): boolean {
  return (routesOf(graph, node)[route]?.to.length ?? 0) > 1;
}

/** Of several joins that a scope reaches, the one that no scope around it reaches as well. */
function joinOfScope(walk: ScopeWalk, key: string): string | undefined {
  const reached = joinsReached(walk, key);
  if (reached.length < 2) return reached[0];
  const outer = new Set<string>();
  for (let at = walk.scopes.get(key)!.parent; at !== ROOT; at = walk.scopes.get(at)!.parent) {
    for (const join of joinsReached(walk, at)) outer.add(join);
  }
  return reached.find(join => !outer.has(join)) ?? reached[0];
}

function joinsReached(walk: ScopeWalk, key: string): string[] {
  const arrived = (arrival: Arrival) => arrival.join && arrival.scope === key;
  return [...new Set(walk.arrivals.filter(arrived).map(arrival => arrival.edge.to))];
}
