import { parseSource } from './parse-source.ts';
import { childrenOf, type Expr } from './syntax-tree.ts';

/**
 * The parts of an expression that must all hold (`&&`), or of which one must (`||`), each as a text that is equal for
 * equal parts, whatever their spacing and brackets. What cannot be read is one part.
 */
export function clausesOf(source: string | undefined, operator: '&&' | '||'): ReadonlySet<string> {
  if (source === undefined) return new Set();
  const parsed = parseSource(source);
  return new Set(parsed.ok ? partsOf(parsed.root, `_${operator}_`).map(treeText) : [source.trim()]);
}

function partsOf(expr: Expr, operator: string): readonly Expr[] {
  const isSplit = expr.exprKind.case === 'callExpr' && expr.exprKind.value.function === operator;
  return isSplit ? childrenOf(expr).flatMap(part => partsOf(part, operator)) : [expr];
}

/** Everything but the numbers that the parser gave the nodes. */
function treeText(expr: Expr): string {
  return JSON.stringify(expr, (key, value: unknown) => (key === 'id' ? undefined : writable(value)));
}

/** JSON has no whole numbers of 64 bits, and makes one `null` of all that is not finite. */
function writable(value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}
