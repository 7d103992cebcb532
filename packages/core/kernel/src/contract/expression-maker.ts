import type { ExprType } from '../expression/expr-type.ts';
import { compileExpression, type ExprEnv, type Expression } from '../expression/expression.ts';
import { ExpressionCompiler } from '../graph/expression-compiler.ts';
import { compileTextTemplate, type TextTemplate } from './text-template.ts';

/** What an expression may name, made when it is needed: types of schemas take their time. */
export type Env = () => ExprEnv;

/** Makes the expressions of a contract. */
export interface ExpressionMaker {
  expression(source: string, pointer: string, env: Env, expected?: ExprType): Expression;
  template(source: string, pointer: string, env: Env): TextTemplate;
}

/** At once, keeping the faults of all. */
export class CheckingMaker implements ExpressionMaker {
  readonly #compiler = new ExpressionCompiler();

  get faults() {
    return this.#compiler.faults;
  }

  expression(source: string, pointer: string, env: Env, expected?: ExprType): Expression {
    return this.#compiler.compile(source, pointer, env(), expected);
  }

  template(source: string, pointer: string, env: Env): TextTemplate {
    return compileTextTemplate(source, pointer, env(), this.#compiler);
  }
}

/** Each at its first use; one that has a fault can never be evaluated, which closes. */
export const DEFERRING_MAKER: ExpressionMaker = {
  expression: (source, _pointer, env, expected) => {
    let compiled: Expression | undefined;
    const get = () => {
      compiled ??= compileExpression(source, env(), expected).expression ?? unusable(source);
      return compiled;
    };
    return {
      source,
      get reads() {
        return get().reads;
      },
      evaluate: bindings => get().evaluate(bindings),
    };
  },
  template: (source, pointer, env) => {
    let compiled: TextTemplate | undefined;
    return {
      source,
      fill: bindings => {
        compiled ??= compileTextTemplate(source, pointer, env(), new ExpressionCompiler());
        return compiled.fill(bindings);
      },
    };
  },
};

function unusable(source: string): Expression {
  return { source, reads: [], evaluate: () => ({ ok: false, reason: 'an expression that does not compile' }) };
}
