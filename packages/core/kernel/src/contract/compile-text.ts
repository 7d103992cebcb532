import type { Fault } from '../error/fault.ts';
import type { ExprEnv } from '../expression/expression.ts';
import { ExpressionCompiler } from '../graph/expression-compiler.ts';
import { compileTextTemplate, type TextTemplate } from './text-template.ts';

export interface CompiledText {
  /** There when no fault is an error. */
  readonly template: TextTemplate | undefined;
  /** `offset` counts from the start of the text. */
  readonly faults: readonly Fault[];
}

/** A text with `{{ CEL }}` that stands by itself, such as a prompt in a file of its own. */
export function compileText(source: string, env: ExprEnv): CompiledText {
  const compiler = new ExpressionCompiler();
  const template = compileTextTemplate(source, '', env, compiler);
  const broken = compiler.faults.some(fault => fault.severity === 'error');
  return { template: broken ? undefined : template, faults: compiler.faults };
}
