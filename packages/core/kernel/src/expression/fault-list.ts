import { closest } from '../schema/closest.ts';
import { DYN, describeType, type ExprType } from './expr-type.ts';
import type { ExpressionFault } from './expression-fault.ts';
import { exampleOf } from './member-types.ts';
import type { Stranger } from './never-equal.ts';
import { operatorHint } from './operator-types.ts';
import { type Expr, operatorName, type ParsedSource, textOf } from './syntax-tree.ts';

/** What the checker found wrong, in the words a user reads, each with its place in the source. */
export class FaultList {
  readonly faults: ExpressionFault[] = [];
  readonly #offsetOf: ParsedSource['offsetOf'];

  constructor(offsetOf: ParsedSource['offsetOf']) {
    this.#offsetOf = offsetOf;
  }

  /** Gives `dyn`, which a part counts as once its fault is told. */
  wrongType(expr: Expr, message: string, hint?: string): ExprType {
    this.#add({ code: 'ExpressionType', severity: 'error', message, ...(hint !== undefined && { hint }) }, expr);
    return DYN;
  }

  wrongOperands(expr: Expr, name: string, a: ExprType, b: ExprType): ExprType {
    const [left, right] = [describeType(a), describeType(b)];
    const isEquality = name === '_==_' || name === '_!=_';
    const message = isEquality
      ? `${left} and ${right} are never equal`
      : `${operatorName(name)} does not work on ${left} and ${right}`;
    return this.wrongType(expr, message, operatorHint(name, a, b));
  }

  unknownName(expr: Expr, message: string, name: string, known: readonly string[]): ExprType {
    const meant = closest(name, known);
    const all = known.length > 0 ? `Known here: ${known.join(', ')}` : undefined;
    return this.wrongType(expr, message, meant === undefined ? all : `Did you mean ${meant}?`);
  }

  optionalRead(expr: Expr, type: ExprType): void {
    const path = textOf(expr);
    const hint = `Ask has(${path}) first, or write ${path}.orValue(${exampleOf(type)})`;
    this.#add({ code: 'OptionalRead', severity: 'error', message: `${path} may be absent`, hint }, expr);
  }

  nullRead(expr: Expr, operand: Expr): void {
    const path = textOf(operand);
    const hint = `Ask ${path} != null first`;
    this.#add({ code: 'NullRead', severity: 'warning', message: `${path} may be null`, hint }, expr);
  }

  impossible(expr: Expr, { text, known }: Stranger): void {
    const meant = closest(text, known);
    const message = `${JSON.stringify(text)} is none of the values that are possible here: ${known.join(', ')}`;
    const hint = meant === undefined ? {} : { hint: `Did you mean '${meant}'?` };
    this.#add({ code: 'ImpossibleComparison', severity: 'warning', message, ...hint }, expr);
  }

  /** A field's place is its name, which the parser's place of the dot stands right before. */
  #add(fault: ExpressionFault, expr: Expr): void {
    const at = this.#offsetOf(expr);
    const isField = expr.exprKind.case === 'selectExpr' && !expr.exprKind.value.testOnly;
    this.faults.push(at === undefined ? fault : { ...fault, offset: isField ? at + 1 : at });
  }
}
