import { unparse } from '@bufbuild/cel';
import { closest } from '../schema/closest.ts';
import { patternProblem } from './cel-functions.ts';
import { type Macro, macroOf } from './comprehension.ts';
import {
  BOOL,
  DOUBLE,
  DYN,
  describeType,
  type ExprProperty,
  type ExprType,
  INT,
  isNumeric,
  listOf,
  mayOverlap,
  membersOf,
  NULL,
  unionOf,
} from './expr-type.ts';
import type { ExpressionFault } from './expression-fault.ts';
import { both, type Facts, factKey, factsWhen, NO_FACTS } from './facts.ts';
import { functionType, isFunction, unknownFunction } from './function-types.ts';
import { elementTypes, exampleOf, iteratedTypes, lookUpField } from './member-types.ts';
import { strangerInEquality, strangerInList } from './never-equal.ts';
import { binaryType, operatorHint } from './operator-types.ts';
import { isOrValue } from './rewrite.ts';
import { constantOf, type Expr, operatorName, type ParsedSource } from './syntax-tree.ts';

/** Variables bound by macros, each with its type and a name that no other has, and the fields known to be there. */
interface Scope {
  readonly bound: ReadonlyMap<string, { readonly type: ExprType; readonly unique: string }>;
  readonly facts: Facts;
}

/** Where a macro's or a path's parts may be absent, because what is around it says what happens then. */
type Absence = 'refused' | 'allowed';

const TYPE_NAMES = new Set(['int', 'uint', 'double', 'bool', 'string', 'bytes', 'list', 'map', 'null_type', 'type']);
const INT64_MAX = 2n ** 63n - 1n;

/**
 * Finds the type of an expression and all that is wrong with it. A part with a fault counts as `dyn` from there on, so
 * one slip is reported once.
 */
export class Checker {
  readonly faults: ExpressionFault[] = [];
  readonly #variables: Readonly<Record<string, ExprType>>;
  readonly #offsetOf: (expr: Expr) => number | undefined;
  #bindings = 0;

  constructor(source: ParsedSource, variables: Readonly<Record<string, ExprType>>) {
    this.#variables = variables;
    this.#offsetOf = source.offsetOf;
  }

  check(root: Expr, expected: ExprType): ExprType {
    const type = this.#typeOf(root, { bound: new Map(), facts: NO_FACTS });
    if (!mayOverlap(type, expected))
      this.#report(root, `This gives ${describeType(type)}, where ${describeType(expected)} is expected`);
    return type;
  }

  #typeOf(expr: Expr, scope: Scope, absence: Absence = 'refused'): ExprType {
    const kind = expr.exprKind;
    switch (kind.case) {
      case 'constExpr':
        return this.#constant(expr);
      case 'identExpr':
        return this.#variable(expr, kind.value.name, scope);
      case 'selectExpr':
        return this.#select(expr, scope, absence);
      case 'listExpr':
        return listOf(unionOf(kind.value.elements.map(element => this.#typeOf(element, scope))));
      case 'structExpr':
        return this.#struct(expr, scope);
      case 'comprehensionExpr':
        return this.#macro(macroOf(expr)!, scope);
      case 'callExpr':
        return this.#call(expr, scope, absence);
      default:
        return DYN;
    }
  }

  #constant(expr: Expr): ExprType {
    const value = constantOf(expr);
    switch (typeof value) {
      case 'string':
        return { kind: 'string', values: [value] };
      case 'boolean':
        return BOOL;
      case 'number':
        return DOUBLE;
      case 'bigint':
        if (value > INT64_MAX || value < -INT64_MAX - 1n) return this.#report(expr, `${value} is beyond 64 bits`);
        return INT;
      default:
        return value === null ? NULL : DYN;
    }
  }

  #variable(expr: Expr, name: string, scope: Scope): ExprType {
    const bound = scope.bound.get(name);
    if (bound !== undefined) return bound.type;
    if (Object.hasOwn(this.#variables, name)) return this.#variables[name]!;
    if (TYPE_NAMES.has(name)) return DYN;
    const known = [...scope.bound.keys(), ...Object.keys(this.#variables)];
    const meant = closest(name, known);
    const hint = meant ? `Did you mean ${meant}?` : `Known here: ${known.join(', ')}`;
    return this.#report(expr, `There is no variable ${name}`, hint);
  }

  #select(expr: Expr, scope: Scope, absence: Absence): ExprType {
    if (expr.exprKind.case !== 'selectExpr') return DYN;
    const { operand, field, testOnly } = expr.exprKind.value;
    const type = this.#typeOf(operand!, scope, absence);
    if (!testOnly) return this.#field(expr, operand!, type, field, scope, absence);
    this.#field(expr, operand!, type, field, scope, 'allowed');
    return BOOL;
  }

  #field(expr: Expr, operand: Expr, type: ExprType, field: string, scope: Scope, absence: Absence): ExprType {
    const found = membersOf(type).map(member => lookUpField(member, field));
    const properties = found.filter(property => typeof property === 'object');
    if (properties.length === 0) return this.#missingField(expr, operand, type, field, found.includes('unknown'));
    const optional =
      properties.length < found.filter(property => property !== 'none').length || properties.some(p => p.optional);
    if (optional && absence === 'refused' && !this.#isKnown(expr, scope))
      this.#reportOptional(expr, properties[0]!.type);
    return unionOf(properties.map(property => property.type));
  }

  #missingField(expr: Expr, operand: Expr, type: ExprType, field: string, isObject: boolean): ExprType {
    const on = textOf(operand);
    if (!isObject) return this.#report(expr, `${on} is ${describeType(type)} and has no fields`);
    const names = membersOf(type).flatMap(member => (member.kind === 'object' ? Object.keys(member.props) : []));
    const meant = closest(field, names);
    const hint = meant ? `Did you mean ${meant}?` : names.length > 0 ? `It has ${names.join(', ')}` : undefined;
    return this.#report(expr, `There is no field ${JSON.stringify(field)} on ${on}`, hint);
  }

  #isKnown(expr: Expr, scope: Scope): boolean {
    const key = factKey(expr, renaming(scope));
    return key !== undefined && scope.facts.has(key);
  }

  #reportOptional(expr: Expr, type: ExprType): void {
    const path = textOf(expr);
    const hint = `Ask has(${path}) first, or write ${path}.orValue(${exampleOf(type)})`;
    this.#add({ code: 'OptionalRead', severity: 'error', message: `${path} may be absent`, hint }, expr);
  }

  #struct(expr: Expr, scope: Scope): ExprType {
    if (expr.exprKind.case !== 'structExpr') return DYN;
    if (expr.exprKind.value.messageName !== '')
      return this.#report(
        expr,
        `Messages such as ${expr.exprKind.value.messageName} are not known`,
        "Write a map: {'name': value}",
      );
    const props: [string, ExprProperty][] = [];
    let allNamed = true;
    for (const { keyKind, value } of expr.exprKind.value.entries) {
      const type = this.#typeOf(value!, scope);
      if (keyKind.case !== 'mapKey') continue;
      this.#typeOf(keyKind.value, scope);
      const key = constantOf(keyKind.value);
      if (typeof key === 'string') props.push([key, { type, optional: false }]);
      else allNamed = false;
    }
    return allNamed ? { kind: 'object', props: Object.fromEntries(props), open: false } : { kind: 'map', values: DYN };
  }

  #macro(macro: Macro, scope: Scope): ExprType {
    const range = this.#typeOf(macro.range, scope);
    const item = this.#itemOf(macro.range, range);
    const bound = new Map(scope.bound).set(macro.variable, {
      type: item,
      unique: `${macro.variable}#${++this.#bindings}`,
    });
    const inner = { bound, facts: scope.facts };
    if (macro.test) this.#condition(macro.test, inner);
    if (macro.name === 'filter') return listOf(item);
    if (macro.name !== 'map' || macro.step === undefined) return BOOL;
    const facts = macro.test ? both(inner.facts, factsWhen(macro.test, true, renaming(inner))) : inner.facts;
    return listOf(this.#typeOf(macro.step, { bound, facts }));
  }

  #itemOf(expr: Expr, range: ExprType): ExprType {
    const items = iteratedTypes(range);
    if (items.length > 0) return unionOf(items);
    return this.#report(expr, `${textOf(expr)} is ${describeType(range)}, no list to go through`);
  }

  #condition(expr: Expr, scope: Scope): void {
    const type = this.#typeOf(expr, scope);
    if (!mayOverlap(type, BOOL))
      this.#report(expr, `A condition must be true or false, and this is ${describeType(type)}`);
  }

  #call(expr: Expr, scope: Scope, absence: Absence): ExprType {
    if (expr.exprKind.case !== 'callExpr') return DYN;
    const { function: name, args, target } = expr.exprKind.value;
    const [left, right, third] = args;
    switch (name) {
      case '_&&_':
      case '_||_':
        return this.#logic(left!, right!, name === '_&&_', scope);
      case '!_':
        this.#condition(left!, scope);
        return BOOL;
      case '_?_:_':
        return this.#choice(left!, right!, third!, scope);
      case '-_':
        return this.#negation(left!, scope);
      case '_[_]':
        return this.#element(expr, left!, right!, scope, absence);
      default:
        if (isOrValue(expr)) return this.#orValue(expr, target!, args, scope);
        return isOperator(name)
          ? this.#binary(expr, name, left!, right!, scope)
          : this.#function(expr, name, target, args, scope);
    }
  }

  /** See {@link factsWhen} for why each side may rely on the other. */
  #logic(left: Expr, right: Expr, outcome: boolean, scope: Scope): ExprType {
    for (const [side, other] of [
      [left, right],
      [right, left],
    ] as const)
      this.#condition(side, { ...scope, facts: both(scope.facts, factsWhen(other, outcome, renaming(scope))) });
    return BOOL;
  }

  #choice(condition: Expr, then: Expr, otherwise: Expr, scope: Scope): ExprType {
    this.#condition(condition, scope);
    const knowing = (outcome: boolean) => ({
      ...scope,
      facts: both(scope.facts, factsWhen(condition, outcome, renaming(scope))),
    });
    return unionOf([this.#typeOf(then, knowing(true)), this.#typeOf(otherwise, knowing(false))]);
  }

  #negation(expr: Expr, scope: Scope): ExprType {
    const type = this.#typeOf(expr, scope);
    const numbers = membersOf(type).filter(member => isNumeric(member) || member.kind === 'dyn');
    return numbers.length > 0 ? unionOf(numbers) : this.#report(expr, `- does not work on ${describeType(type)}`);
  }

  #element(expr: Expr, operand: Expr, index: Expr, scope: Scope, absence: Absence): ExprType {
    const type = this.#typeOf(operand, scope, absence);
    const indexType = this.#typeOf(index, scope);
    const key = constantOf(index);
    const members = membersOf(type);
    if (
      typeof key === 'string' &&
      members.some(member => typeof lookUpField(member, key) === 'object' || member.kind === 'object')
    )
      return this.#field(expr, operand, type, key, scope, absence);
    const elements = elementTypes(type, indexType);
    if (elements.length > 0) return unionOf(elements);
    return this.#report(
      expr,
      `${textOf(operand)} is ${describeType(type)} and has no element under ${describeType(indexType)}`,
    );
  }

  #orValue(expr: Expr, target: Expr, args: readonly Expr[], scope: Scope): ExprType {
    const isPath = target.exprKind.case === 'selectExpr' ? !target.exprKind.value.testOnly : isIndex(target);
    if (!isPath || args.length !== 1)
      return this.#report(expr, 'orValue stands on a field and takes one value', 'Write state.amount.orValue(0)');
    return unionOf([this.#typeOf(target, scope, 'allowed'), this.#typeOf(args[0]!, scope)]);
  }

  #binary(expr: Expr, name: string, left: Expr, right: Expr, scope: Scope): ExprType {
    const [a, b] = [this.#typeOf(left, scope), this.#typeOf(right, scope)];
    const result = binaryType(name, a, b);
    if (result === undefined) return this.#reportOperator(expr, name, a, b);
    if (name === '_==_' || name === '_!=_' || name === '@in') this.#checkTexts(expr, name, right, a, b);
    return result;
  }

  #reportOperator(expr: Expr, name: string, a: ExprType, b: ExprType): ExprType {
    const [left, right] = [describeType(a), describeType(b)];
    const message =
      name === '_==_' || name === '_!=_'
        ? `${left} and ${right} are never equal`
        : `${operatorName(name)} does not work on ${left} and ${right}`;
    return this.#report(expr, message, operatorHint(name, a, b));
  }

  /** A text that an enum does not have is a slip of the pen, though no fault of type. */
  #checkTexts(expr: Expr, name: string, right: Expr, a: ExprType, b: ExprType): void {
    const items = b.kind === 'list' ? b.items : b;
    const isWritten = name === '@in' && right.exprKind.case === 'listExpr';
    const stranger = isWritten ? strangerInList(a, items) : strangerInEquality(a, items);
    if (stranger === undefined) return;
    const meant = closest(stranger.text, stranger.known);
    const fault: ExpressionFault = {
      code: 'ImpossibleComparison',
      severity: 'warning',
      message: `${JSON.stringify(stranger.text)} is none of the values that are possible here: ${stranger.known.join(', ')}`,
    };
    this.#add(meant === undefined ? fault : { ...fault, hint: `Did you mean '${meant}'?` }, expr);
  }

  #function(expr: Expr, name: string, target: Expr | undefined, args: readonly Expr[], scope: Scope): ExprType {
    if (!isFunction(name)) return this.#report(expr, ...unknownFunction(name));
    const targetType = target && this.#typeOf(target, scope);
    const argTypes = args.map(arg => this.#typeOf(arg, scope));
    const result = functionType(name, targetType, argTypes);
    if (result === undefined) {
      const given = argTypes.map(describeType).join(', ') || 'nothing';
      const on = targetType ? ` on ${describeType(targetType)}` : '';
      return this.#report(expr, `${name} does not take ${given}${on}`);
    }
    if (name === 'matches') this.#checkPattern(args[0]!);
    return result;
  }

  #checkPattern(expr: Expr): void {
    const pattern = constantOf(expr);
    const problem = typeof pattern === 'string' ? patternProblem(pattern) : undefined;
    if (problem !== undefined) this.#report(expr, `The pattern cannot be read: ${problem}`);
  }

  #report(expr: Expr, message: string, hint?: string): ExprType {
    this.#add({ code: 'ExpressionType', severity: 'error', message, ...(hint !== undefined && { hint }) }, expr);
    return DYN;
  }

  #add(fault: ExpressionFault, expr: Expr): void {
    const at = this.#offsetOf(expr);
    const offset =
      at !== undefined && expr.exprKind.case === 'selectExpr' && !expr.exprKind.value.testOnly ? at + 1 : at;
    this.faults.push(offset === undefined ? fault : { ...fault, offset });
  }
}

function renaming(scope: Scope): (name: string) => string {
  return name => scope.bound.get(name)?.unique ?? name;
}

function isIndex(expr: Expr): boolean {
  return expr.exprKind.case === 'callExpr' && expr.exprKind.value.function === '_[_]';
}

function isOperator(name: string): boolean {
  return name === '@in' || /^_.+_$/.test(name);
}

function textOf(expr: Expr): string {
  try {
    return unparse(expr);
  } catch {
    return 'this';
  }
}
