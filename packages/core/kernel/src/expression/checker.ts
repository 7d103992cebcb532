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
  isNullable,
  isNumeric,
  listOf,
  mayOverlap,
  membersOf,
  NULL,
  unionOf,
  withoutNull,
} from './expr-type.ts';
import type { ExpressionFault } from './expression-fault.ts';
import { both, type Facts, factKey, factsWhen, NO_FACTS, nonNullKey } from './facts.ts';
import { FaultList } from './fault-list.ts';
import { functionType, isFunction, unknownFunction } from './function-types.ts';
import { elementTypes, iteratedTypes, lookUpField } from './member-types.ts';
import { strangerInEquality, strangerInList } from './never-equal.ts';
import { binaryType } from './operator-types.ts';
import { isOrValue } from './rewrite.ts';
import { constantOf, type Expr, type ParsedSource, textOf } from './syntax-tree.ts';

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
  readonly #found: FaultList;
  readonly #variables: Readonly<Record<string, ExprType>>;
  #bindings = 0;

  constructor(source: ParsedSource, variables: Readonly<Record<string, ExprType>>) {
    this.#variables = variables;
    this.#found = new FaultList(source.offsetOf);
  }

  get faults(): readonly ExpressionFault[] {
    return this.#found.faults;
  }

  check(root: Expr, expected: ExprType): ExprType {
    const type = this.#typeOf(root, { bound: new Map(), facts: NO_FACTS });
    if (!mayOverlap(type, expected))
      this.#found.wrongType(root, `This gives ${describeType(type)}, where ${describeType(expected)} is expected`);
    return type;
  }

  #typeOf(expr: Expr, scope: Scope, absence: Absence = 'refused'): ExprType {
    const kind = expr.exprKind;
    switch (kind.case) {
      case 'constExpr':
        return this.#constant(expr);
      case 'identExpr':
        return this.#narrowed(expr, this.#variable(expr, kind.value.name, scope), scope);
      case 'selectExpr':
        return this.#narrowed(expr, this.#select(expr, scope, absence), scope);
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
        if (value > INT64_MAX || value < -INT64_MAX - 1n)
          return this.#found.wrongType(expr, `${value} is beyond 64 bits`);
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
    return this.#found.unknownName(expr, `There is no variable ${name}`, name, known);
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
    if (absence === 'refused' && !this.#isKnown(expr, scope)) {
      if (optional) this.#found.optionalRead(expr, properties[0]!.type);
      if (isNullable(type)) this.#found.nullRead(expr, operand);
    }
    return unionOf(properties.map(property => property.type));
  }

  #missingField(expr: Expr, operand: Expr, type: ExprType, field: string, isObject: boolean): ExprType {
    const on = textOf(operand);
    if (!isObject) return this.#found.wrongType(expr, `${on} is ${describeType(type)} and has no fields`);
    const names = membersOf(type).flatMap(member => (member.kind === 'object' ? Object.keys(member.props) : []));
    return this.#found.unknownName(expr, `There is no field ${JSON.stringify(field)} on ${on}`, field, names);
  }

  #narrowed(expr: Expr, type: ExprType, scope: Scope): ExprType {
    if (!isNullable(type)) return type;
    const key = factKey(expr, renaming(scope));
    return key !== undefined && scope.facts.has(nonNullKey(key)) ? withoutNull(type) : type;
  }

  #isKnown(expr: Expr, scope: Scope): boolean {
    const key = factKey(expr, renaming(scope));
    return key !== undefined && scope.facts.has(key);
  }

  #struct(expr: Expr, scope: Scope): ExprType {
    if (expr.exprKind.case !== 'structExpr') return DYN;
    if (expr.exprKind.value.messageName !== '')
      return this.#found.wrongType(
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
    return this.#found.wrongType(expr, `${textOf(expr)} is ${describeType(range)}, no list to go through`);
  }

  #condition(expr: Expr, scope: Scope): void {
    const type = this.#typeOf(expr, scope);
    if (!mayOverlap(type, BOOL))
      this.#found.wrongType(expr, `A condition must be true or false, and this is ${describeType(type)}`);
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
        return this.#narrowed(expr, this.#element(expr, left!, right!, scope, absence), scope);
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
    return numbers.length > 0
      ? unionOf(numbers)
      : this.#found.wrongType(expr, `- does not work on ${describeType(type)}`);
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
    return this.#found.wrongType(
      expr,
      `${textOf(operand)} is ${describeType(type)} and has no element under ${describeType(indexType)}`,
    );
  }

  #orValue(expr: Expr, target: Expr, args: readonly Expr[], scope: Scope): ExprType {
    const isPath = target.exprKind.case === 'selectExpr' ? !target.exprKind.value.testOnly : isIndex(target);
    if (!isPath || args.length !== 1)
      return this.#found.wrongType(
        expr,
        'orValue stands on a field and takes one value',
        'Write state.amount.orValue(0)',
      );
    return unionOf([this.#typeOf(target, scope, 'allowed'), this.#typeOf(args[0]!, scope)]);
  }

  #binary(expr: Expr, name: string, left: Expr, right: Expr, scope: Scope): ExprType {
    const [a, b] = [this.#typeOf(left, scope), this.#typeOf(right, scope)];
    const result = binaryType(name, a, b);
    if (result === undefined) return this.#found.wrongOperands(expr, name, a, b);
    const takesNull = name === '_==_' || name === '_!=_' || name === '@in';
    if (!takesNull && isNullable(a)) this.#found.nullRead(expr, left);
    if (!takesNull && isNullable(b)) this.#found.nullRead(expr, right);
    if (takesNull) this.#checkTexts(expr, name, right, a, b);
    return result;
  }

  /** A text that an enum does not have is a slip of the pen, though no fault of type. */
  #checkTexts(expr: Expr, name: string, right: Expr, a: ExprType, b: ExprType): void {
    const items = b.kind === 'list' ? b.items : b;
    const isWritten = name === '@in' && right.exprKind.case === 'listExpr';
    const stranger = isWritten ? strangerInList(a, items) : strangerInEquality(a, items);
    if (stranger !== undefined) this.#found.impossible(expr, stranger);
  }

  #function(expr: Expr, name: string, target: Expr | undefined, args: readonly Expr[], scope: Scope): ExprType {
    if (!isFunction(name)) return this.#found.wrongType(expr, ...unknownFunction(name));
    const targetType = target && this.#typeOf(target, scope);
    const argTypes = args.map(arg => this.#typeOf(arg, scope));
    const result = functionType(name, targetType, argTypes);
    if (result === undefined) {
      const given = argTypes.map(describeType).join(', ') || 'nothing';
      const on = targetType ? ` on ${describeType(targetType)}` : '';
      return this.#found.wrongType(expr, `${name} does not take ${given}${on}`);
    }
    if (name === 'matches') this.#checkPattern(args[0]!);
    return result;
  }

  #checkPattern(expr: Expr): void {
    const pattern = constantOf(expr);
    const problem = typeof pattern === 'string' ? patternProblem(pattern) : undefined;
    if (problem !== undefined) this.#found.wrongType(expr, `The pattern cannot be read: ${problem}`);
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
