import fc from 'fast-check';
import type { GraphDefinition, JoinMode, NodeDefinition, RouteDefinition } from '../../graph/definition.ts';

/** A graph as a tree of parts that nest by construction. */
export type Part =
  | { readonly kind: 'step' | 'ask' | 'sleep' | 'race' | 'restart' | 'transform' }
  | { readonly kind: 'row'; readonly parts: readonly Part[] }
  | { readonly kind: 'loop'; readonly body: Part }
  | { readonly kind: 'caught'; readonly body: Part }
  | { readonly kind: 'fork'; readonly branches: readonly Part[]; readonly join: JoinMode | 'none' }
  | { readonly kind: 'map'; readonly body: Part; readonly items: number; readonly collect: boolean }
  | { readonly kind: 'sub'; readonly body: Part };

export const { part } = fc.letrec<{ part: Part }>(tie => ({
  part: fc.oneof(
    { maxDepth: 3, depthSize: 'large', withCrossShrink: true },
    fc.constantFrom<Part>(
      { kind: 'step' },
      { kind: 'ask' },
      { kind: 'sleep' },
      { kind: 'race' },
      { kind: 'restart' },
      { kind: 'transform' },
    ),
    fc.record({ kind: fc.constant('row' as const), parts: fc.array(tie('part'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ kind: fc.constant('loop' as const), body: tie('part') }),
    fc.record({ kind: fc.constant('caught' as const), body: tie('part') }),
    fc.record({
      kind: fc.constant('fork' as const),
      branches: fc.array(tie('part'), { minLength: 2, maxLength: 3 }),
      join: fc.constantFrom<JoinMode | 'none'>('all', 'any', { count: 2 }, 'none'),
    }),
    fc.record({ kind: fc.constant('map' as const), body: tie('part'), items: fc.nat(3), collect: fc.boolean() }),
    fc.record({ kind: fc.constant('sub' as const), body: tie('part') }),
  ),
}));

const STEP: NodeDefinition = {
  type: 'step',
  handler: 'work',
  timeout: '5s',
  update: { log: '[run.lastNode == null ? "" : string(run.lastNode)]', count: '1' },
  retry: { attempts: 2, backoff: '2s' },
  compensate: { handler: 'undo' },
};
const YES = { kind: 'confirmation' as const, title: 'Yes?' };
const LEAVES: Record<string, NodeDefinition> = {
  step: STEP,
  ask: { type: 'ask', request: { ...YES, deadline: { after: '1h', onExpire: 'fail' } }, update: { count: '1' } },
  sleep: { type: 'wait', for: '5m' },
  race: { type: 'wait', first: { go: { signal: 'go' }, form: { ask: YES }, late: { for: '10m' } } },
  restart: { type: 'ask', request: { ...YES, resume: { mode: 'restart', carry: { count: '1' } } } },
  transform: { type: 'transform', output: { at: 'run.step' } },
};

/** A few operations that reserve come to its bound. */
export const TOKENS_ALLOWED = 100;
const BUDGET = { budget: { tokens: TOKENS_ALLOWED }, onReached: 'ask' as const };

/** Builds the definition of a part; what leads on from it leads to `end`. */
export function definitionOf(tree: Part, name = 'root'): GraphDefinition {
  const builder = new Builder();
  const last = builder.add({ type: 'transform', output: { total: 'state.count' } });
  const entry = builder.emit(tree, last);
  return {
    name,
    entry,
    input: {},
    state: {
      log: { schema: { type: 'array', items: { type: 'string' } }, reducer: 'append' },
      count: { schema: { type: 'integer' }, reducer: 'sum' },
    },
    limits: { maxVisits: 4, noProgress: false, ...(name === 'root' ? BUDGET : {}) },
    nodes: builder.nodes,
    routes: builder.routes,
    graphs: builder.graphs,
  };
}

class Builder {
  readonly nodes: Record<string, NodeDefinition> = {};
  readonly routes: Record<string, RouteDefinition[]> = {};
  readonly graphs: Record<string, GraphDefinition> = {};
  #count = 0;

  add(node: NodeDefinition, to?: string): string {
    const name = `n${this.#count}`;
    this.#count += 1;
    this.nodes[name] = node;
    if (to !== undefined) this.routes[name] = [{ to: [to] }];
    return name;
  }

  #graph(body: Part): string {
    const name = `g${this.#count}`;
    this.#count += 1;
    this.graphs[name] = definitionOf(body, name);
    return name;
  }

  /** Gives the first node of the part; its last ones lead to `next`. */
  emit(part: Part, next: string): string {
    switch (part.kind) {
      case 'row':
        return part.parts.reduceRight((then, each) => this.emit(each, then), next);
      case 'loop': {
        const turn = this.add({ ...STEP, limits: { maxVisits: 3, onReached: 'ask' } });
        const body = this.emit(part.body, turn);
        this.routes[turn] = [{ to: [body], when: 'state.count < 6' }, { to: [next] }];
        return body;
      }
      case 'caught': {
        const saved = this.add({ type: 'transform', output: { saved: 'true' } }, next);
        const graph = this.#graph(part.body);
        const node = this.add({ type: 'subgraph', graph, input: {}, share: ['log', 'count'] });
        this.routes[node] = [{ to: [saved], on: ['failed'] }, { to: [next] }];
        return node;
      }
      case 'fork':
        return this.#fork(part, next);
      case 'map': {
        const items = JSON.stringify(Array.from({ length: part.items }, (_, index) => index));
        const onError = part.collect ? ('collect' as const) : ('fail' as const);
        return this.add(
          { type: 'map', items, body: { graph: this.#graph(part.body), share: ['count'] }, concurrency: 2, onError },
          next,
        );
      }
      case 'sub':
        return this.add({ type: 'subgraph', graph: this.#graph(part.body), input: {}, share: ['log'] }, next);
      default:
        return this.add(LEAVES[part.kind]!, next);
    }
  }

  #fork(part: Extract<Part, { kind: 'fork' }>, next: string): string {
    const fork = this.add(STEP);
    if (part.join === 'none') {
      const graph = this.#graph({ kind: 'fork', branches: part.branches, join: 'all' });
      this.routes[fork] = [{ to: [this.add({ type: 'subgraph', graph, input: {}, share: ['count'] }, next)] }];
      return fork;
    }
    const join = this.add({ type: 'join', join: part.join }, next);
    this.routes[fork] = [{ to: part.branches.map(branch => this.emit(branch, join)) }];
    return fork;
  }
}
