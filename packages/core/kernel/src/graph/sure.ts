import { END, type GraphDefinition, type NodeDefinition, type Outcome, type RouteDefinition } from './definition.ts';
import { edgesFrom, nodeOf, routesOf } from './flow.ts';

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

/** Whether only a node that failed takes the route, so that its error can be read. */
export function hasError(route: RouteDefinition): boolean {
  return route.on?.every(outcome => outcome === 'failed') ?? false;
}

type Kind = 'written' | 'visited' | 'output' | 'error';

/** Of a node without routes. */
const ENDING: RouteDefinition = { to: [END] };

/**
 * What holds when a token comes to a node, whichever way it came: that a state key was written, that a node was visited,
 * that its last visit gave an output or an error. `end` stands for the end of the run, whichever token is the last. Of what
 * no way leads to, such as a stand-in, nothing is said.
 */
export class SureFacts {
  readonly #graph: GraphDefinition;
  /** `written k`, `visited n`, `output n`: the bit of each fact that is asked about. */
  readonly #bits = new Map<string, bigint>();
  readonly #at = new Map<string, bigint>();
  readonly #keys: readonly string[];

  constructor(graph: GraphDefinition, keys: readonly string[], nodes: Iterable<string>) {
    this.#graph = graph;
    this.#keys = keys;
    for (const key of keys) this.#name('written', key);
    for (const node of nodes) {
      this.#name('visited', node);
      this.#name('output', node);
      this.#name('error', node);
    }
    this.#flow();
  }

  holds(kind: Kind, name: string, at: string): boolean {
    const facts = this.#at.get(at);
    return facts !== undefined && (facts & this.#bit(kind, name)) !== 0n;
  }

  written(at: string): Set<string> {
    return new Set(this.#keys.filter(key => this.holds('written', key, at)));
  }

  #name(kind: Kind, name: string): void {
    this.#bits.set(`${kind} ${name}`, 1n << BigInt(this.#bits.size));
  }

  #bit(kind: Kind, name: string): bigint {
    return this.#bits.get(`${kind} ${name}`) ?? 0n;
  }

  /** Facts only ever get fewer at a node, so this comes to an end. */
  #flow(): void {
    const { entry } = this.#graph;
    if (nodeOf(this.#graph, entry) === undefined) return;
    this.#at.set(entry, 0n);
    const open = [entry];
    for (let from = open.pop(); from !== undefined; from = open.pop()) {
      const routes = routesOf(this.#graph, from);
      if (routes.length === 0) this.#bring(from, ENDING, END, open);
      for (const { to, route } of edgesFrom(this.#graph, from)) this.#bring(from, routes[route]!, to, open);
    }
  }

  #bring(from: string, route: RouteDefinition, to: string, open: string[]): void {
    const brought = this.#along(from, route);
    const known = this.#at.get(to);
    const facts = known === undefined ? brought : known & brought;
    if (facts === known) return;
    this.#at.set(to, facts);
    if (to !== END) open.push(to);
  }

  #along(from: string, route: RouteDefinition): bigint {
    const node = nodeOf(this.#graph, from)!;
    let facts = this.#at.get(from)! | this.#bit('visited', from);
    const [output, error] = [this.#bit('output', from), this.#bit('error', from)];
    facts &= ~(output | error);
    if (hasOutput(route)) facts |= output;
    if (hasError(route)) facts |= error;
    if (!isTakenOnSuccess(node, route)) return facts;
    for (const key of Object.keys(node.update ?? {})) facts |= this.#bit('written', key);
    return facts;
  }
}
