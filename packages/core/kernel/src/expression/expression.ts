import type { Fault } from '../error/fault.ts';
import { createEvaluator, type ExprResult } from './evaluate.ts';
import { DYN, type ExprType } from './expr-type.ts';
import { parseSource } from './parse-source.ts';
import { readsOf, variablesOf } from './reads.ts';

/** What an expression may name: each variable with the type it is checked with. */
export interface ExprEnv {
  readonly variables: Readonly<Record<string, ExprType>>;
}

export interface Expression {
  readonly source: string;
  /** Paths that may be read, such as `['state', 'amount']`; a shorter path stands for all below it. */
  readonly reads: readonly (readonly string[])[];
  /** Never throws. `bindings` may hold more than is read, and getters; see {@link ExprResult}. */
  evaluate(bindings: Readonly<Record<string, unknown>>): ExprResult;
}

/** A fault without its place in the definition; `offset` counts characters of the source from 0. */
export type ExpressionFault = Omit<Fault, 'pointer'>;

export interface CompiledExpression {
  /** There when no fault is an error. */
  readonly expression: Expression | undefined;
  readonly faults: readonly ExpressionFault[];
  readonly type: ExprType;
}

/** Parses, checks against the types of `env`, and makes ready for evaluation. Planning itself waits for the first evaluation. */
export function compileExpression(source: string, env: ExprEnv, _expected: ExprType = DYN): CompiledExpression {
  const parsed = parseSource(source);
  if (!parsed.ok) return { expression: undefined, faults: [parsed.fault], type: DYN };
  const reads = readsOf(parsed.root);
  const evaluate = createEvaluator(parsed.root, env.variables, variablesOf(reads));
  return { expression: { source, reads, evaluate }, faults: [], type: DYN };
}
