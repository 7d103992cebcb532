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
import { edgesFrom, isJoin, nodeOf, routesOf } from './flow.ts';
import { BRANCHES, ERROR, outputType, RUN } from './output-types.ts';
import { ROOT } from './scope-walk.ts';
import { initialValue, stateType } from './state-keys.ts';
import type { Structure } from './structure.ts';
import { hasError, hasOutput, isTakenOnSuccess, SureFacts } from './sure.ts';

/**
 * What the expressions of one graph may name, place by place. The types decide more than the check: whether a number
 * is an int or a double follows from them. So a stored program is compiled with the same.
 */
export class GraphTypes {
  readonly #graph: GraphDefinition;
  readonly #structure: Structure;
  readonly #bound: Readonly<Record<string, ExprType>>;
  readonly #input: ExprType;
  readonly #sure: SureFacts;
  readonly #named: ReadonlySet<string>;
  readonly #before = new Map<string, string[]>();
  readonly #outputs = new Map<string, ExprType>();
  readonly #states = new Map<string, ExprType>();

  /** `isItem`: the graph is run for the items of a map, so its expressions see `item` and `index`. */
  constructor(graph: GraphDefinition, structure: Structure, isItem: boolean) {
    this.#graph = graph;
    this.#structure = structure;
    this.#bound = isItem ? { item: DYN, index: INT } : {};
    this.#input = typeOfSchema(graph.input);
    this.#named = namedNodes(graph);
    const absent = Object.keys(graph.state).filter(key => initialValue(graph.state[key]!) === undefined);
    this.#sure = new SureFacts(graph, absent, this.#named);
    for (const from of Object.keys(graph.nodes)) {
      for (const { to, route } of edgesFrom(graph, from)) this.#noteArrival(to, from, route);
    }
  }

  outputOf(node: string): ExprType {
    const definition = nodeOf(this.#graph, node);
    return definition === undefined ? DYN : kept(this.#outputs, node, () => outputType(definition, this.#graph));
  }

  /** For what is read when the node starts: its input, a map's items, a request's templates, what a wait looks at. */
  before(node: string): ExprEnv {
    return this.#env(node, this.#lastOutput(node), this.#sure.written(node));
  }

  /** For `update` and `decides`, once the node has an output. */
  after(node: string): ExprEnv {
    return this.#env(node, this.outputOf(node), this.#sure.written(node));
  }

  /** For `say`, which counts where the node's `update` does: what that writes is there. */
  said(node: string): ExprEnv {
    const written = this.#sure.written(node);
    for (const key of Object.keys(nodeOf(this.#graph, node)?.update ?? {})) written.add(key);
    return this.#env(node, this.outputOf(node), written);
  }

  /** For the guard of a route, with the node's own visit and writes in sight. */
  guard(node: string, route: RouteDefinition): ExprEnv {
    const definition = nodeOf(this.#graph, node)!;
    const written = this.#sure.written(node);
    if (isTakenOnSuccess(definition, route)) for (const key of Object.keys(definition.update ?? {})) written.add(key);
    return this.#env(node, hasOutput(route) ? this.outputOf(node) : DYN, written, route);
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

  /** For the graph's own output, whichever token was the last. */
  end(): ExprEnv {
    return this.#env(END, DYN, this.#sure.written(END));
  }

  #env(at: string, output: ExprType, written: ReadonlySet<string>, route?: RouteDefinition): ExprEnv {
    return {
      variables: {
        input: this.#input,
        state: this.#state(written),
        output,
        nodes: this.#nodes(at, route),
        session: DYN,
        answers: DYN,
        run: RUN,
        now: TIMESTAMP,
        ...this.#bound,
      },
    };
  }

  /** `route`: of a guard, where the node's own visit counts. What cannot be seen from here is told by a check of its own. */
  #nodes(at: string, route: RouteDefinition | undefined): ExprType {
    const props: Record<string, ExprProperty> = {};
    for (const name of this.#named) {
      const node = nodeOf(this.#graph, name);
      if (node === undefined || !this.#isSeen(name, at)) props[name] = { type: DYN, optional: false };
      else if (name === at && route !== undefined) {
        props[name] = { type: this.#visit(name, hasOutput(route), hasError(route)), optional: false };
      } else {
        const isVisited = this.#sure.holds('visited', name, at);
        const output = isVisited ? this.#sure.holds('output', name, at) : routesOf(this.#graph, name).every(hasOutput);
        const type = this.#visit(name, output, this.#sure.holds('error', name, at));
        props[name] = { type, optional: !isVisited && !(name === at && isJoin(node)) };
      }
    }
    return { kind: 'object', props, open: true };
  }

  #isSeen(name: string, at: string): boolean {
    const inner = at === END ? ROOT : this.#structure.scopeOf.get(at);
    const outer = this.#structure.scopeOf.get(name);
    return inner === undefined || outer === undefined || this.#structure.encloses(outer, inner);
  }

  #visit(name: string, output: boolean, error: boolean): ExprType {
    return objectOf(
      {
        status: STRING,
        output: this.outputOf(name),
        error: ERROR,
        ...(isJoin(nodeOf(this.#graph, name)) ? { branches: BRANCHES } : {}),
      },
      { optional: [...(output ? [] : ['output']), ...(error ? [] : ['error'])] },
    );
  }

  #state(written: ReadonlySet<string>): ExprType {
    const key = [...written].sort().join(' ');
    return kept(this.#states, key, () => stateType(this.#graph, written));
  }

  #noteArrival(to: string, from: string, route: number): void {
    if (to === END) return;
    const sources = this.#before.get(to) ?? [];
    this.#before.set(to, sources);
    sources.push(hasOutput(routesOf(this.#graph, from)[route]!) ? from : '');
  }

  /** The last output of the token that comes to a node; '' among the sources stands for one that failed. */
  #lastOutput(node: string): ExprType {
    if (isJoin(nodeOf(this.#graph, node))) return BRANCHES;
    const sources = this.#before.get(node) ?? [];
    if (node === this.#graph.entry || sources.includes('')) return DYN;
    return unionOf([...new Set(sources)].map(source => this.outputOf(source)));
  }
}

function kept<Value>(values: Map<string, Value>, key: string, make: () => Value): Value {
  const known = values.get(key) ?? make();
  values.set(key, known);
  return known;
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
