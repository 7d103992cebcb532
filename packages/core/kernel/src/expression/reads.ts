import { childrenOf, type Expr, indexArgsOf, pathOf } from './syntax-tree.ts';

/**
 * The paths that an expression may read, as far as they can be told without evaluating it: each begins with a variable
 * of the environment and goes on while names are written down. A shorter path stands for all below it.
 */
export function readsOf(root: Expr): readonly (readonly string[])[] {
  const found = new Map<string, readonly string[]>();
  collect(root, new Set(), path => found.set(JSON.stringify(path), path));
  return [...found.values()];
}

/** The variables among them, each once. */
export function variablesOf(reads: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(reads.map(path => path[0]!))];
}

function collect(expr: Expr, bound: ReadonlySet<string>, add: (path: readonly string[]) => void): void {
  const path = testedPath(expr) ?? pathOf(expr);
  if (path !== undefined) {
    if (!bound.has(path[0]!)) add(path);
    return;
  }
  const kind = expr.exprKind;
  if (kind.case !== 'comprehensionExpr') {
    for (const child of childrenOf(expr)) collect(child, bound, add);
    return;
  }
  const { iterVar, accuVar, iterRange, ...rest } = kind.value;
  collect(iterRange!, bound, add);
  const inner = new Set([...bound, iterVar, accuVar]);
  for (const child of [rest.loopStep!, rest.loopCondition!, rest.result!]) collect(child, inner, add);
}

/** `has(a.b)` reads `a.b`, and `a['b']` with a known key is a path; `a[i]` reads `a` and `i`. */
function testedPath(expr: Expr): readonly string[] | undefined {
  const kind = expr.exprKind;
  if (kind.case !== 'selectExpr' || !kind.value.testOnly || indexArgsOf(expr).length > 0) return undefined;
  const parent = pathOf(kind.value.operand!);
  return parent && [...parent, kind.value.field];
}
