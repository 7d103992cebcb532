import { type ExprType, listOf } from '../expression/expr-type.ts';
import { typeOfSchema } from '../expression/schema-type.ts';
import type { GraphDefinition } from './definition.ts';
import type { ExpressionCompiler } from './expression-compiler.ts';
import type { CompiledGraph, GraphCode } from './program.ts';

/** What the parts of one graph are compiled with. */
export class CompileContext {
  readonly graph: GraphDefinition;
  readonly compiler: ExpressionCompiler;
  readonly code: GraphCode | undefined;
  /** Of the whole program; the compiled graphs are put here. */
  readonly graphs: Map<string, CompiledGraph>;
  /** Some request or handler of the program may restart, so places to go back to are kept. */
  readonly restarts: boolean;

  constructor(parts: Pick<CompileContext, 'graph' | 'compiler' | 'code' | 'graphs' | 'restarts'>) {
    this.graph = parts.graph;
    this.compiler = parts.compiler;
    this.code = parts.code;
    this.graphs = parts.graphs;
    this.restarts = parts.restarts;
  }

  of(graph: GraphDefinition): CompileContext {
    return new CompileContext({ ...this, graph });
  }

  /** Of the whole value of a state key. */
  valueType(key: string): ExprType | undefined {
    const definition = Object.hasOwn(this.graph.state, key) ? this.graph.state[key] : undefined;
    return definition && typeOfSchema(definition.schema);
  }

  /** Of what is written to a state key: a list of what is added, a part to merge, else the value. */
  writeType(key: string): ExprType | undefined {
    const type = this.valueType(key);
    const reducer = type && this.graph.state[key]!.reducer;
    if (type === undefined || reducer === 'merge') return type && partOf(type);
    return reducer === 'append' && type.kind !== 'list' ? listOf({ kind: 'dyn' }) : type;
  }
}

/** An object of which any part may be given. */
function partOf(type: ExprType): ExprType {
  if (type.kind !== 'object') return type.kind === 'map' ? type : { kind: 'map', values: { kind: 'dyn' } };
  const props = Object.entries(type.props).map(([name, { type: of }]) => [name, { type: of, optional: true }] as const);
  return { ...type, props: Object.fromEntries(props) };
}
