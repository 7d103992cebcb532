import { parse, unparse } from '@bufbuild/cel';

/** A node of the tree that the CEL parser gives out (`cel.expr.Expr`), macros already expanded to comprehensions. */
export type Expr = ReturnType<typeof parse>['expr'];

export interface ParsedSource {
  readonly root: Expr;
  /** 0-based character offset of a node in its source. */
  readonly offsetOf: (expr: Expr) => number | undefined;
}

/** Throws what the parser throws; see `parse-source.ts`. */
export function parseTree(source: string): ParsedSource {
  const { expr, sourceInfo } = parse(source);
  return { root: expr, offsetOf: node => sourceInfo?.positions[node.id.toString()] };
}

export function childrenOf(expr: Expr): readonly Expr[] {
  const kind = expr.exprKind;
  switch (kind.case) {
    case 'selectExpr':
      return defined([kind.value.operand]);
    case 'callExpr':
      return defined([kind.value.target, ...kind.value.args]);
    case 'listExpr':
      return kind.value.elements;
    case 'structExpr':
      return defined(
        kind.value.entries.flatMap(entry => [
          entry.keyKind.case === 'mapKey' ? entry.keyKind.value : undefined,
          entry.value,
        ]),
      );
    case 'comprehensionExpr': {
      const { iterRange, accuInit, loopCondition, loopStep, result } = kind.value;
      return defined([iterRange, accuInit, loopCondition, loopStep, result]);
    }
    default:
      return [];
  }
}

function defined(exprs: readonly (Expr | undefined)[]): readonly Expr[] {
  return exprs.filter(expr => expr !== undefined);
}

/** The constant of a node as text, number, boolean or null; `undefined` for any other node. */
export function constantOf(expr: Expr): string | bigint | number | boolean | null | undefined {
  if (expr.exprKind.case !== 'constExpr') return undefined;
  const constant = expr.exprKind.value.constantKind;
  switch (constant.case) {
    case 'stringValue':
    case 'int64Value':
    case 'doubleValue':
    case 'boolValue':
      return constant.value;
    case 'nullValue':
      return null;
    default:
      return undefined;
  }
}

/** `state.order['id']` as `['state', 'order', 'id']`; `undefined` when the node is anything but names read one in another. */
export function pathOf(expr: Expr): readonly string[] | undefined {
  const kind = expr.exprKind;
  if (kind.case === 'identExpr') return [kind.value.name];
  if (kind.case === 'selectExpr') {
    const parent = kind.value.testOnly || kind.value.operand === undefined ? undefined : pathOf(kind.value.operand);
    return parent && [...parent, kind.value.field];
  }
  const [operand, index] = indexArgsOf(expr);
  const key = index && constantOf(index);
  const parent = typeof key === 'string' && operand ? pathOf(operand) : undefined;
  return parent && [...parent, String(key)];
}

/** Operand and index of `operand[index]`, else an empty list. */
export function indexArgsOf(expr: Expr): readonly Expr[] {
  return expr.exprKind.case === 'callExpr' && expr.exprKind.value.function === '_[_]' ? expr.exprKind.value.args : [];
}

export function callNode(id: bigint, name: string, args: Expr[]): Expr {
  return {
    $typeName: 'cel.expr.Expr',
    id,
    exprKind: { case: 'callExpr', value: { $typeName: 'cel.expr.Expr.Call', function: name, args } },
  };
}

/** `_+_` as `+`. */
export function operatorName(name: string): string {
  return name.replace('@in', 'in').replace(/^_?([^_]+)_$/, '$1');
}

/** A node in the words of the source, as near as can be. */
export function textOf(expr: Expr): string {
  try {
    return unparse(expr);
  } catch {
    return 'this';
  }
}
