import { type Fault, pointerTo } from '../error/fault.ts';
import type { ExprType } from '../expression/expr-type.ts';
import { compileExpression, type ExprEnv, type Expression } from '../expression/expression.ts';
import type { ExpressionMap } from './program.ts';

/** Stands where an expression has an error; a program that holds it is never given out. */
const BROKEN = 'an expression that did not compile';

/** An expression that compiled, and its place. */
export interface PlacedExpression {
  readonly expression: Expression;
  readonly pointer: string;
}

/** Compiles the expressions of a definition; keeps them with their places, and the faults of all. */
export class ExpressionCompiler {
  readonly faults: Fault[] = [];
  readonly compiled: PlacedExpression[] = [];

  compile(source: string, pointer: string, env: ExprEnv, expected?: ExprType): Expression {
    const { expression, faults } = compileExpression(source, env, expected);
    for (const fault of faults) this.faults.push({ ...fault, pointer });
    if (expression !== undefined) this.compiled.push({ expression, pointer });
    return expression ?? { source, reads: [], evaluate: () => ({ ok: false, reason: BROKEN }) };
  }

  compileMap(
    sources: Readonly<Record<string, string>> | undefined,
    pointer: string,
    env: ExprEnv,
    expected: (key: string) => ExprType | undefined = () => undefined,
  ): ExpressionMap | undefined {
    if (sources === undefined) return undefined;
    return new Map(
      Object.entries(sources).map(([key, source]) => [
        key,
        this.compile(source, pointerTo(pointer, key), env, expected(key)),
      ]),
    );
  }
}
