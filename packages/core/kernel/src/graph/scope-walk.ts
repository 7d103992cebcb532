import { END, type GraphDefinition } from './definition.ts';
import { type Edge, edgesFrom, isJoin, nodeOf, routesOf } from './flow.ts';

/** The key of "no scope": outside all forks. */
export const ROOT = '';

/** A token taking an edge, in the scope that it is in while under way (a fork's branch: the scope it opens). */
export interface Arrival {
  readonly edge: Edge;
  readonly scope: string;
  /** The target is a join. */
  readonly join: boolean;
}

export interface Scope {
  readonly key: string;
  readonly fork: string;
  /** Indexes of the fork's routes that open it. */
  readonly routes: readonly number[];
  readonly parent: string;
  readonly join: string | undefined;
}

export interface ScopeWalk {
  readonly scopeOf: ReadonlyMap<string, string>;
  readonly scopes: ReadonlyMap<string, { fork: string; parent: string; routes: number[] }>;
  readonly arrivals: readonly Arrival[];
}

/** So that a hostile graph cannot make the search for the best reading long. */
const MOST_ROUNDS = 200;

/**
 * Puts every reachable node in one scope. Where routes disagree the walk is made again with the node held in the most
 * likely scope, so that the faults name the routes that are wrong and not those that follow from them.
 */
export function walkScopes(graph: GraphDefinition): ScopeWalk {
  const held = new Map<string, string>([[graph.entry, ROOT]]);
  const merged = new Map<string, string>();
  for (let round = 0; ; round++) {
    const walk = new Walk(graph, held, merged).run();
    if (round === MOST_ROUNDS || !settleOne(graph, walk, held, merged)) return walk;
  }
}

class Walk implements ScopeWalk {
  readonly scopeOf = new Map<string, string>();
  readonly scopes = new Map<string, { fork: string; parent: string; routes: number[] }>();
  readonly arrivals: Arrival[] = [];
  readonly #graph: GraphDefinition;
  readonly #held: ReadonlyMap<string, string>;
  readonly #merged: ReadonlyMap<string, string>;
  readonly #open: string[] = [];
  /** Nodes held in a scope that the walk has not come to yet, with the scope of their first arrival. */
  readonly #waiting = new Map<string, string>();

  constructor(graph: GraphDefinition, held: ReadonlyMap<string, string>, merged: ReadonlyMap<string, string>) {
    this.#graph = graph;
    this.#held = held;
    this.#merged = merged;
  }

  run(): this {
    if (nodeOf(this.#graph, this.#graph.entry) !== undefined) this.#enter(this.#graph.entry, ROOT);
    do {
      for (let node = this.#open.shift(); node !== undefined; node = this.#open.shift()) {
        for (const edge of edgesFrom(this.#graph, node)) this.#arrive(edge, this.#scopeAlong(edge));
      }
    } while (this.#admit());
    return this;
  }

  /** Lets in what waited for its scope; at the end also what waits for one that no longer comes to be. */
  #admit(): boolean {
    if (this.#waiting.size === 0) return false;
    const ready = [...this.#waiting].filter(([node]) => this.scopes.has(this.#held.get(node)!));
    const [first] = this.#waiting;
    for (const [node] of ready.length > 0 ? ready : [first!]) {
      const held = this.#held.get(node)!;
      this.scopeOf.set(node, this.scopes.has(held) ? held : this.#waiting.get(node)!);
      this.#waiting.delete(node);
      this.#open.push(node);
    }
    return true;
  }

  #scopeAlong(edge: Edge): string {
    const around = this.scopeOf.get(edge.from)!;
    if (routesOf(this.#graph, edge.from)[edge.route]!.to.length < 2) return around;
    const own = `${edge.from}#${edge.route}`;
    const key = this.#merged.get(own) ?? own;
    const scope = this.scopes.get(key) ?? { fork: edge.from, parent: around, routes: [] };
    if (!scope.routes.includes(edge.route)) scope.routes.push(edge.route);
    this.scopes.set(key, scope);
    return key;
  }

  #arrive(edge: Edge, scope: string): void {
    const join = isJoin(nodeOf(this.#graph, edge.to));
    this.arrivals.push({ edge, scope, join });
    if (edge.to === END) return;
    this.#enter(edge.to, join && scope !== ROOT ? this.scopes.get(scope)!.parent : scope);
  }

  #enter(node: string, scope: string): void {
    if (this.scopeOf.has(node) || this.#waiting.has(node)) return;
    const held = this.#held.get(node) ?? scope;
    if (held !== ROOT && !this.scopes.has(held)) {
      this.#waiting.set(node, scope);
      return;
    }
    this.scopeOf.set(node, held);
    this.#open.push(node);
  }
}

export function isAncestor(walk: Pick<ScopeWalk, 'scopes'>, outer: string, inner: string): boolean {
  for (let at = inner, steps = 0; at !== ROOT && steps <= walk.scopes.size; steps++) {
    at = walk.scopes.get(at)?.parent ?? ROOT;
    if (at === outer) return true;
  }
  return false;
}

/** The scope that an arrival asks its target to be in. */
export function wantedScope(walk: Pick<ScopeWalk, 'scopes'>, arrival: Arrival): string {
  return arrival.join && arrival.scope !== ROOT ? walk.scopes.get(arrival.scope)!.parent : arrival.scope;
}

/** Decides the first open disagreement; false when there is none. */
function settleOne(
  graph: GraphDefinition,
  walk: ScopeWalk,
  held: Map<string, string>,
  merged: Map<string, string>,
): boolean {
  for (const arrival of walk.arrivals) {
    const node = arrival.edge.to;
    if (node === END) continue;
    const wanted = wantedScope(walk, arrival);
    const given = walk.scopeOf.get(node)!;
    if (wanted === given) continue;
    if (!arrival.join && mergeSiblings(walk, given, wanted, merged)) return true;
    if (held.has(node)) continue;
    held.set(node, likelyScope(graph, walk, node));
    return true;
  }
  return false;
}

/** Two routes of one fork that share a node inside are one scope. */
function mergeSiblings(walk: ScopeWalk, a: string, b: string, merged: Map<string, string>): boolean {
  const [left, right] = [walk.scopes.get(a), walk.scopes.get(b)];
  if (left === undefined || left.fork !== right?.fork) return false;
  for (const route of [...left.routes, ...right.routes]) merged.set(`${left.fork}#${route}`, a);
  return true;
}

/**
 * A branch's first node is inside its scope; so is a node from which the join can be reached without going through the
 * fork again, the innermost such scope first. Else the outermost. Never a scope that the node itself opens.
 */
function likelyScope(graph: GraphDefinition, walk: ScopeWalk, node: string): string {
  const arrivals = walk.arrivals.filter(arrival => arrival.edge.to === node);
  const inside = (scope: string) => scope === ROOT || !opens(walk, node, scope);
  const asked = arrivals.filter(arrival => inside(wantedScope(walk, arrival)));
  const wanted = [...new Set(asked.map(arrival => wantedScope(walk, arrival)))].sort(
    (a, b) => depthOf(walk, b) - depthOf(walk, a),
  );
  if (arrivals.some(arrival => arrival.join)) {
    const closed = asked.find(arrival => arrival.join && arrival.scope !== ROOT);
    return closed === undefined ? ROOT : wantedScope(walk, closed);
  }
  const first = asked.find(({ edge, scope }) => walk.scopes.get(scope)?.fork === edge.from);
  if (first !== undefined) return first.scope;
  return wanted.find(scope => scope !== ROOT && leadsToJoin(graph, walk, node, scope)) ?? wanted.at(-1) ?? ROOT;
}

function opens(walk: ScopeWalk, node: string, scope: string): boolean {
  for (let at = scope, steps = 0; at !== ROOT && steps <= walk.scopes.size; steps++) {
    const { fork, parent } = walk.scopes.get(at)!;
    if (fork === node) return true;
    at = parent;
  }
  return false;
}

function depthOf(walk: ScopeWalk, scope: string): number {
  let depth = 0;
  for (let at = scope; at !== ROOT && depth <= walk.scopes.size; depth++) at = walk.scopes.get(at)?.parent ?? ROOT;
  return depth;
}

function leadsToJoin(graph: GraphDefinition, walk: ScopeWalk, node: string, scope: string): boolean {
  const { fork } = walk.scopes.get(scope)!;
  const joins = new Set(walk.arrivals.filter(({ join, scope: at }) => join && at === scope).map(({ edge }) => edge.to));
  const seen = new Set([fork]);
  const open = [node];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    for (const { to } of edgesFrom(graph, at)) {
      if (joins.has(to)) return true;
      if (to !== END) open.push(to);
    }
  }
  return false;
}
