import { constantOf, type Expr } from './syntax-tree.ts';

/** A macro as it was written, read back from the loop that the parser makes of it. */
export interface Macro {
  readonly name: 'all' | 'exists' | 'exists_one' | 'map' | 'filter';
  readonly variable: string;
  readonly range: Expr;
  readonly test: Expr | undefined;
  /** What `map` puts into its list. */
  readonly step: Expr | undefined;
}

export function macroOf(expr: Expr): Macro | undefined {
  if (expr.exprKind.case !== 'comprehensionExpr') return undefined;
  const { accuInit, iterVar, iterRange, loopStep } = expr.exprKind.value;
  const start = constantOf(accuInit!);
  const args = callArgs(loopStep!);
  const base = { variable: iterVar, range: iterRange! };
  if (typeof start === 'boolean') return { ...base, name: start ? 'all' : 'exists', test: args[1], step: undefined };
  if (typeof start === 'bigint') return { ...base, name: 'exists_one', test: args[0], step: undefined };
  const [test, added] = args.length === 3 ? [args[0], args[1]!] : [undefined, loopStep!];
  const step = addedItem(added);
  // `filter` puts the very item into its list; `map(x, test, x)` looks the same and means the same.
  const isItem = test !== undefined && step?.exprKind.case === 'identExpr' && step.exprKind.value.name === iterVar;
  return { ...base, name: isItem ? 'filter' : 'map', test, step };
}

/** `item` of `@result + [item]`. */
function addedItem(expr: Expr): Expr | undefined {
  const list = callArgs(expr)[1];
  return list?.exprKind.case === 'listExpr' ? list.exprKind.value.elements[0] : undefined;
}

function callArgs(expr: Expr): readonly Expr[] {
  return expr.exprKind.case === 'callExpr' ? expr.exprKind.value.args : [];
}
