import { childrenOf, constantOf, type Expr, indexArgsOf } from './syntax-tree.ts';

/** What is known at a place in an expression: fields that are there, by {@link factKey}, and not null, by {@link nonNullKey}. */
export type Facts = ReadonlySet<string>;

export const NO_FACTS: Facts = new Set();

/** Names of bound variables made unique, so that a fact about an outer `x` is none about an inner one. */
export type Renaming = (name: string) => string;

/** One text for one place in the data: `a.b` and `a['b']` are the same. `undefined` for what is computed. */
export function factKey(expr: Expr, rename: Renaming): string | undefined {
  const kind = expr.exprKind;
  if (kind.case === 'identExpr') return rename(kind.value.name);
  if (kind.case === 'selectExpr') return joined(factKey(kind.value.operand!, rename), JSON.stringify(kind.value.field));
  const [operand, index] = indexArgsOf(expr);
  if (operand === undefined || index === undefined) return undefined;
  return joined(factKey(operand, rename), elementKey(index, rename));
}

function elementKey(index: Expr, rename: Renaming): string | undefined {
  const constant = constantOf(index);
  if (typeof constant === 'string') return JSON.stringify(constant);
  return constant === undefined ? factKey(index, rename) : String(constant);
}

function joined(parent: string | undefined, element: string | undefined): string | undefined {
  return parent === undefined || element === undefined ? undefined : `${parent}[${element}]`;
}

/**
 * What must be there for `expr` to give `outcome`. Reason for using it on both sides of `&&` and `||`: where a field is
 * absent, its test decides against `outcome` whatever the rest gives, and CEL's logic then absorbs an error on the other
 * side, in either order.
 */
export function factsWhen(expr: Expr, outcome: boolean, rename: Renaming): Facts {
  const kind = expr.exprKind;
  if (kind.case === 'selectExpr' && kind.value.testOnly) return outcome ? factOf(factKey(expr, rename)) : NO_FACTS;
  if (kind.case !== 'callExpr') return NO_FACTS;
  const [left, right] = childrenOf(expr);
  switch (kind.value.function) {
    case '!_':
      return factsWhen(left!, !outcome, rename);
    case '_&&_':
    case '_||_': {
      const sides = [factsWhen(left!, outcome, rename), factsWhen(right!, outcome, rename)] as const;
      return outcome === (kind.value.function === '_&&_') ? both(...sides) : common(...sides);
    }
    case '_!=_':
    case '_==_':
      return outcome === (kind.value.function === '_!=_') ? nonNullFact(left!, right!, rename) : NO_FACTS;
    case '@in':
      return outcome ? factOf(joined(factKey(right!, rename), elementKey(left!, rename))) : NO_FACTS;
    default:
      return NO_FACTS;
  }
}

/** The fact that a value is not null, apart from the fact that it is there. */
export function nonNullKey(key: string): string {
  return `${key} != null`;
}

function nonNullFact(left: Expr, right: Expr, rename: Renaming): Facts {
  const tested = constantOf(right) === null ? left : constantOf(left) === null ? right : undefined;
  const key = tested && factKey(tested, rename);
  return factOf(key && nonNullKey(key));
}

function factOf(key: string | undefined): Facts {
  return key === undefined ? NO_FACTS : new Set([key]);
}

export function both(a: Facts, b: Facts): Facts {
  return a.size === 0 ? b : b.size === 0 ? a : new Set([...a, ...b]);
}

function common(a: Facts, b: Facts): Facts {
  return new Set([...a].filter(key => b.has(key)));
}
