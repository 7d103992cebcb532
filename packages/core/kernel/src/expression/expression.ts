import { isJsonObject, type JsonValue } from '../json/value.ts';
import { Checker } from './checker.ts';
import { createEvaluator, type ExprResult } from './evaluate.ts';
import { DYN, describeType, type ExprType } from './expr-type.ts';
import type { ExpressionFault } from './expression-fault.ts';
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

export interface CompiledExpression {
  /** There when no fault is an error. */
  readonly expression: Expression | undefined;
  readonly faults: readonly ExpressionFault[];
  readonly type: ExprType;
}

/** Parses, checks against the types of `env`, and makes ready for evaluation. Planning itself waits for the first evaluation. */
export function compileExpression(source: string, env: ExprEnv, expected: ExprType = DYN): CompiledExpression {
  const parsed = parseSource(source);
  if (!parsed.ok) return { expression: undefined, faults: [parsed.fault], type: DYN };
  const checker = new Checker(parsed, env.variables);
  const type = checker.check(parsed.root, expected);
  const faults = checker.faults;
  if (faults.some(fault => fault.severity === 'error')) return { expression: undefined, faults, type };
  const reads = readsOf(parsed.root).filter(path => Object.hasOwn(env.variables, path[0]!));
  const run = createEvaluator(parsed.root, env.variables, variablesOf(reads));
  const evaluate = (bindings: Readonly<Record<string, unknown>>) => expecting(expected, run(bindings));
  return { expression: { source, reads, evaluate }, faults, type };
}

/** What a part of type `dyn` gave is known only now. */
function expecting(expected: ExprType, result: ExprResult): ExprResult {
  if (!result.ok || hasType(result.value, expected)) return result;
  const given = Array.isArray(result.value) ? 'list' : result.value === null ? 'null' : typeof result.value;
  return { ok: false, reason: `the expression gave ${given}, where ${describeType(expected)} is expected` };
}

/** By kind alone; what is inside lists and objects is for the schema to say. */
function hasType(value: JsonValue, type: ExprType): boolean {
  switch (type.kind) {
    case 'dyn':
      return true;
    case 'null':
      return value === null;
    case 'bool':
      return typeof value === 'boolean';
    case 'int':
      return Number.isInteger(value);
    case 'double':
      return typeof value === 'number';
    case 'string':
    case 'timestamp':
    case 'duration':
      return typeof value === 'string';
    case 'list':
      return Array.isArray(value);
    case 'map':
    case 'object':
      return isJsonObject(value);
    case 'union':
      return type.of.some(member => hasType(value, member));
  }
}
