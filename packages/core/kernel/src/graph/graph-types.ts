import {
  DYN,
  type ExprProperty,
  type ExprType,
  INT,
  objectOf,
  STRING,
  TIMESTAMP,
  unionOf,
} from '../expression/expr-type.ts';
import type { ExprEnv } from '../expression/expression.ts';
import { typeOfSchema } from '../expression/schema-type.ts';
import { END, type GraphDefinition, type NodeDefinition, type RouteDefinition } from './definition.ts';
import { dominatorsOf } from './dominators.ts';
import { edgesFrom, nodeOf, routesOf } from './flow.ts';
import { BRANCHES, ERROR, outputType, RUN } from './output-types.ts';
import { initialValue, stateType } from './state-keys.ts';
import type { Structure } from './structure.ts';
import { hasOutput, isTakenOnSuccess, reachedWithout } from './sure.ts';

/**
 * What the expressions of one graph may name, place by place. The types decide more than the check: whether a number
 * is an int or a double follows from them. So a stored program is compiled with the same.
 */
export class GraphTypes {
  readonly #graph: GraphDefinition;
  readonly #structure: Structure;
  readonly #bound: Readonly<Record<string, ExprType>>;
  readonly #input: ExprType;
  readonly #dominators: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #named: ReadonlySet<string>;
  readonly #before = new Map<string, string[]>();
  readonly #outputs = new Map<string, ExprType>();
  readonly #unwritten = new Map<string, ReadonlySet<string>>();
  readonly #withoutOutput = new Map<string, ReadonlySet<string>>();

  /** `isItem`: the graph is run for the items of a map, so its expressions see `item` and `index`. */
  constructor(graph: GraphDefinition, structure: Structure, isItem: boolean) {
    this.#graph = graph;
    this.#structure = structure;
    this.#bound = isItem ? { item: DYN, index: INT } : {};
    this.#input = typeOfSchema(graph.input);
    this.#dominators = dominatorsOf(graph);
    this.#named = namedNodes(graph);
    for (const from of Object.keys(graph.nodes)) {
      for (const { to, route } of edgesFrom(graph, from)) this.#noteArrival(to, from, route);
    }
  }

  outputOf(node: string): ExprType {
    const known = this.#outputs.get(node);
    if (known !== undefined) return known;
    const definition = nodeOf(this.#graph, node);
    const type = definition === undefined ? DYN : outputType(definition, this.#graph);
    this.#outputs.set(node, type);
    return type;
  }

  /** For what is read when the node starts: its input, a map's items, a request's templates, what a wait looks at. */
  before(node: string): ExprEnv {
    return this.#env(node, this.#lastOutput(node), this.#written(node), false);
  }

  /** For `update`, `decides` and the guards. `route`: a guard's, after the node's own writes. */
  after(node: string, route?: RouteDefinition): ExprEnv {
    const definition = nodeOf(this.#graph, node)!;
    const good = route === undefined || isTakenOnSuccess(definition, route);
    const written = this.#written(node);
    if (route !== undefined && good) for (const key of Object.keys(definition.update ?? {})) written.add(key);
    const given = route === undefined || hasOutput(route);
    return this.#env(node, given ? this.outputOf(node) : DYN, written, given);
  }

  /** Of the body of a map: the map's own place, with the item as last output. */
  body(node: string, output: ExprType): ExprEnv {
    const { variables } = this.before(node);
    return { variables: { ...variables, output, item: DYN, index: INT } };
  }

  /** Of a map's node body. */
  bodyOutput(node: NodeDefinition): ExprType {
    return outputType(node, this.#graph);
  }

  /** For the graph's own output: any node may have been the last. */
  end(): ExprEnv {
    return this.#env(undefined, DYN, new Set(), false);
  }

  /** Whether `nodes.<other>` can be read at `node`: it runs in the same scope or one around it. Undefined: not known. */
  sees(node: string | undefined, other: string): boolean | undefined {
    const inner = node === undefined ? '' : this.#structure.scopeOf.get(node);
    const outer = this.#structure.scopeOf.get(other);
    if (inner === undefined || outer === undefined || node === other) return undefined;
    return this.#structure.encloses(outer, inner);
  }

  #env(node: string | undefined, output: ExprType, written: ReadonlySet<string>, succeeded: boolean): ExprEnv {
    return {
      variables: {
        input: this.#input,
        state: stateType(this.#graph, written),
        output,
        nodes: this.#nodes(node, succeeded),
        session: DYN,
        answers: DYN,
        run: RUN,
        now: TIMESTAMP,
        ...this.#bound,
      },
    };
  }

  #nodes(at: string | undefined, succeeded: boolean): ExprType {
    const props: Record<string, ExprProperty> = {};
    for (const name of this.#named) {
      const isOwn = name === at;
      const visited = isOwn || (at !== undefined && this.#dominators.get(at)?.has(name) === true);
      const sure = isOwn ? succeeded : this.#hasOutput(name, visited ? at : undefined);
      const isNode = nodeOf(this.#graph, name) !== undefined;
      const seen = isNode && this.sees(at, name) !== false;
      props[name] = seen ? { type: this.#visit(name, sure), optional: !visited } : { type: DYN, optional: false };
    }
    return { kind: 'object', props, open: true };
  }

  #visit(name: string, sure: boolean): ExprType {
    const join = nodeOf(this.#graph, name)?.type === 'join' || nodeOf(this.#graph, name)?.join !== undefined;
    return objectOf(
      { status: STRING, output: this.outputOf(name), error: ERROR, ...(join ? { branches: BRANCHES } : {}) },
      { optional: sure ? ['error'] : ['output', 'error'] },
    );
  }

  /** Where the node that was surely visited before is not known, its own routes must say that it cannot go on without. */
  #hasOutput(name: string, at: string | undefined): boolean {
    if (at === undefined) return routesOf(this.#graph, name).every(hasOutput);
    const known = this.#withoutOutput.get(name) ?? reachedWithout(this.#graph, name, hasOutput);
    this.#withoutOutput.set(name, known);
    return !known.has(at);
  }

  #written(node: string): Set<string> {
    const written = new Set<string>();
    for (const above of this.#dominators.get(node) ?? []) {
      const keys = Object.keys(nodeOf(this.#graph, above)?.update ?? {}).filter(key => this.#isOptional(key));
      if (keys.length === 0 || above === node || this.#reachedUnwritten(above).has(node)) continue;
      for (const key of keys) written.add(key);
    }
    return written;
  }

  #isOptional(key: string): boolean {
    return Object.hasOwn(this.#graph.state, key) && initialValue(this.#graph.state[key]!) === undefined;
  }

  #reachedUnwritten(node: string): ReadonlySet<string> {
    const definition = nodeOf(this.#graph, node)!;
    const known =
      this.#unwritten.get(node) ?? reachedWithout(this.#graph, node, route => isTakenOnSuccess(definition, route));
    this.#unwritten.set(node, known);
    return known;
  }

  #noteArrival(to: string, from: string, route: number): void {
    if (to === END) return;
    const sources = this.#before.get(to) ?? [];
    this.#before.set(to, sources);
    sources.push(hasOutput(routesOf(this.#graph, from)[route]!) ? from : '');
  }

  /** The last output of the token that comes to a node; '' among the sources stands for one that failed. */
  #lastOutput(node: string): ExprType {
    const definition = nodeOf(this.#graph, node);
    if (definition?.join !== undefined || definition?.type === 'join') return BRANCHES;
    const sources = this.#before.get(node) ?? [];
    if (node === this.#graph.entry || sources.includes('')) return DYN;
    return unionOf([...new Set(sources)].map(source => this.outputOf(source)));
  }
}

/** The nodes that an expression of the graph may name as `nodes.x`; all, where it cannot be told from the text. */
function namedNodes(graph: GraphDefinition): ReadonlySet<string> {
  const named = new Set<string>();
  let open = false;
  const look = (value: unknown): void => {
    if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) look(member);
    if (typeof value !== 'string' || !value.includes('nodes')) return;
    for (const [, dotted, quoted] of value.matchAll(/\bnodes\b(?:\s*\.\s*(\w+)|\s*\[\s*['"](\w+)['"]\s*\])?/g)) {
      const name = dotted ?? quoted;
      if (name === undefined) open = true;
      else named.add(name);
    }
  };
  const { graphs: _inner, title: _title, description: _description, ...own } = graph;
  look(own);
  return open ? new Set([...named, ...Object.keys(graph.nodes)]) : named;
}
