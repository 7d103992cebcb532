import { callNode, childrenOf, type Expr, indexArgsOf } from './syntax-tree.ts';

/**
 * The tree that is evaluated, made from the tree that was written:
 * - every pass of a comprehension is charged (`@pass`);
 * - list and map literals become our own values (`@list`, `@map`), which charge when walked and know null from absent;
 * - `a.b.orValue(d)` becomes `has(a.b) ? a.b : d`, with `has` for each step of the path.
 * Nodes keep their ids, so errors can be told in the words of the source.
 */
export function rewrite(expr: Expr): Expr {
  const kind = expr.exprKind;
  switch (kind.case) {
    case 'selectExpr':
      return {
        ...expr,
        exprKind: { case: kind.case, value: { ...kind.value, operand: rewrite(kind.value.operand!) } },
      };
    case 'listExpr':
      return kind.value.elements.length === 0 ? expr : callNode(expr.id, '@list', kind.value.elements.map(rewrite));
    case 'structExpr':
      return kind.value.entries.length === 0 ? expr : callNode(expr.id, '@map', childrenOf(expr).map(rewrite));
    case 'comprehensionExpr': {
      const { iterRange, accuInit, loopCondition, loopStep, result } = kind.value;
      const value = {
        ...kind.value,
        iterRange: rewrite(iterRange!),
        accuInit: rewrite(accuInit!),
        loopCondition: callNode(expr.id, '_&&_', [callNode(expr.id, '@pass', []), rewrite(loopCondition!)]),
        loopStep: rewrite(loopStep!),
        result: rewrite(result!),
      };
      return { ...expr, exprKind: { case: kind.case, value } };
    }
    case 'callExpr':
      return isOrValue(expr) ? rewriteOrValue(expr) : rewriteCall(expr);
    default:
      return expr;
  }
}

export function isOrValue(expr: Expr): boolean {
  const kind = expr.exprKind;
  return kind.case === 'callExpr' && kind.value.function === 'orValue' && kind.value.target !== undefined;
}

function rewriteCall(expr: Expr): Expr {
  if (expr.exprKind.case !== 'callExpr') return expr;
  const call = expr.exprKind.value;
  const target = call.target && rewrite(call.target);
  const value = { ...call, args: call.args.map(rewrite), ...(target && { target }) };
  return { ...expr, exprKind: { case: 'callExpr', value } };
}

function rewriteOrValue(expr: Expr): Expr {
  if (expr.exprKind.case !== 'callExpr') return expr;
  const target = rewrite(expr.exprKind.value.target!);
  const [fallback] = expr.exprKind.value.args.map(rewrite);
  const tests = presenceTests(target);
  // Not on a field, or without a value to fall back on: the checker says so.
  if (fallback === undefined || tests.length === 0) return rewriteCall(expr);
  const all = tests.reduce((left, right) => callNode(expr.id, '_&&_', [left, right]));
  return callNode(expr.id, '_?_:_', [all, target, fallback]);
}

/** One test for each step of a path, outermost first: the first that fails ends the conjunction. */
function presenceTests(expr: Expr): Expr[] {
  const kind = expr.exprKind;
  if (kind.case === 'selectExpr') {
    const operand = kind.value.operand!;
    const test: Expr = { ...expr, exprKind: { case: 'selectExpr', value: { ...kind.value, testOnly: true } } };
    return [...presenceTests(operand), test];
  }
  const [operand, index] = indexArgsOf(expr);
  if (operand === undefined || index === undefined) return [];
  return [...presenceTests(operand), callNode(expr.id, '@present', [operand, index])];
}

/** Nodes of a tree with shared parts counted as often as they appear, which is how often they are planned. Stops at `max`. */
export function countNodes(expr: Expr, max: number): number {
  let count = 1;
  for (const child of childrenOf(expr)) {
    if (count > max) break;
    count += countNodes(child, max - count);
  }
  return count;
}
