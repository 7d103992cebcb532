import { type CelError, type CelInput, type CelValue, isCelError, plan } from '@bufbuild/cel';
import type { JsonValue } from '../json/value.ts';
import { expressionEnv } from './cel-functions.ts';
import { fromCelValue, toCelValue } from './cel-value.ts';
import { COST_LIMIT, withCostLimit } from './cost.ts';
import type { ExprType } from './expr-type.ts';
import { rewrite } from './rewrite.ts';
import { childrenOf, type Expr, indexArgsOf, operatorName, textOf } from './syntax-tree.ts';

/** `reason` names what could not be read or done, in the words of the expression: `no such field "amount" on state`. */
export type ExprResult =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly reason: string };

export type Evaluator = (bindings: Readonly<Record<string, unknown>>) => ExprResult;

/**
 * Plans at the first evaluation and keeps the plan. Only the variables in `names` are taken from the bindings, and of
 * them only what the expression reads. The value is shared with the bindings, not copied; a getter must give what never changes.
 */
export function createEvaluator(
  root: Expr,
  variables: Readonly<Record<string, ExprType>>,
  names: readonly string[],
): Evaluator {
  let planned: ((context: Record<string, CelInput>) => CelValue | CelError) | undefined;
  return bindings => {
    planned ??= plan(expressionEnv(), rewrite(root));
    const run = planned;
    const outcome = withCostLimit(COST_LIMIT, () => {
      try {
        const value = run(contextOf(bindings, variables, names));
        return isCelError(value) ? failure(reasonOf(value, root)) : { ok: true as const, value: fromCelValue(value) };
      } catch (error) {
        return failure(error instanceof Error ? error.message : String(error));
      }
    });
    return outcome.exceeded ? failure('cost limit: the expression looks at too much') : outcome.value;
  };
}

function failure(reason: string): ExprResult {
  return { ok: false, reason };
}

function contextOf(
  bindings: Readonly<Record<string, unknown>>,
  variables: Readonly<Record<string, ExprType>>,
  names: readonly string[],
): Record<string, CelInput> {
  const context: Record<string, CelInput> = Object.create(null);
  for (const name of names) {
    const value = bindings[name];
    if (value !== undefined) context[name] = toCelValue(value, variables[name]!);
  }
  return context;
}

function reasonOf(error: CelError, root: Expr): string {
  const node = error.exprId === undefined ? undefined : findNode(root, error.exprId);
  const message = error.message;
  const missing = /^field not found: (.*)$/s.exec(message)?.[1];
  if (missing !== undefined) return `no such field ${JSON.stringify(missing)}${placeOf(node, missing)}`;
  const index = /^index (\S+) out of bounds/.exec(message)?.[1];
  if (index !== undefined) return `no element ${index}${placeOf(indexed(root, error.exprId!) ?? node)}`;
  if (message === 'unresolved attribute') return `there is no value for ${node ? textOf(node) : 'a variable'} here`;
  const overload = /^found no matching overload for '(.*?)' applied to '(.*)'$/s.exec(message);
  if (overload) return `${operatorName(overload[1]!)} does not work on ${overload[2]}`;
  return message.replaceAll('google.protobuf.', '');
}

function placeOf(node: Expr | undefined, field?: string): string {
  const select =
    node?.exprKind.case === 'selectExpr' && node.exprKind.value.field === field ? node.exprKind.value : undefined;
  const place = select ? select.operand : node;
  return place === undefined ? '' : ` on ${textOf(place)}`;
}

/** The library names the start of `a.b[i]` when an index is out of range; the list itself says more. */
function indexed(expr: Expr, id: bigint): Expr | undefined {
  const [operand] = indexArgsOf(expr);
  if (operand !== undefined && startOf(operand).id === id) return operand;
  for (const child of childrenOf(expr)) {
    const found = indexed(child, id);
    if (found !== undefined) return found;
  }
  return undefined;
}

function startOf(expr: Expr): Expr {
  const parent = expr.exprKind.case === 'selectExpr' ? expr.exprKind.value.operand : indexArgsOf(expr)[0];
  return parent === undefined ? expr : startOf(parent);
}

function findNode(expr: Expr, id: bigint): Expr | undefined {
  if (expr.id === id) return expr;
  for (const child of childrenOf(expr)) {
    const found = findNode(child, id);
    if (found !== undefined) return found;
  }
  return undefined;
}
