import { closest } from '../schema/closest.ts';
import {
  BOOL,
  DOUBLE,
  DURATION,
  DYN,
  type ExprType,
  INT,
  listOf,
  mapOf,
  mayOverlap,
  membersOf,
  STRING,
  TIMESTAMP,
} from './expr-type.ts';

interface Signature {
  readonly target?: ExprType;
  readonly args: readonly ExprType[];
  readonly result: ExprType;
}

const LIST = listOf(DYN);
const SIZED = [STRING, LIST, mapOf(DYN)];

const on = (target: ExprType, args: readonly ExprType[], result: ExprType): Signature => ({ target, args, result });
const of = (arg: ExprType, result: ExprType): Signature => ({ args: [arg], result });
const anyOf = (args: readonly ExprType[], result: ExprType) => args.map(arg => of(arg, result));
const TEXT_TEST = [on(STRING, [STRING], BOOL)];
const CALENDAR = [on(TIMESTAMP, [], INT), on(TIMESTAMP, [STRING], INT)];
const CLOCK = [...CALENDAR, on(DURATION, [], INT)];

/** Every function that an expression may call, except operators and macros. */
const SIGNATURES: Readonly<Record<string, readonly Signature[]>> = {
  size: [...SIZED.map(type => of(type, INT)), ...SIZED.map(type => on(type, [], INT))],
  int: anyOf([INT, DOUBLE, STRING, TIMESTAMP, DURATION], INT),
  double: anyOf([INT, DOUBLE, STRING], DOUBLE),
  string: anyOf([STRING, BOOL, INT, DOUBLE, TIMESTAMP, DURATION], STRING),
  bool: anyOf([BOOL, STRING], BOOL),
  timestamp: anyOf([TIMESTAMP, STRING, INT], TIMESTAMP),
  duration: anyOf([DURATION, STRING, INT], DURATION),
  uint: [of(DYN, DYN)],
  bytes: [of(DYN, DYN)],
  type: [of(DYN, DYN)],
  dyn: [of(DYN, DYN)],
  contains: TEXT_TEST,
  startsWith: TEXT_TEST,
  endsWith: TEXT_TEST,
  matches: TEXT_TEST,
  charAt: [on(STRING, [INT], STRING)],
  indexOf: [on(STRING, [STRING], INT), on(STRING, [STRING, INT], INT)],
  lastIndexOf: [on(STRING, [STRING], INT), on(STRING, [STRING, INT], INT)],
  lowerAscii: [on(STRING, [], STRING)],
  upperAscii: [on(STRING, [], STRING)],
  trim: [on(STRING, [], STRING)],
  replace: [on(STRING, [STRING, STRING], STRING), on(STRING, [STRING, STRING, INT], STRING)],
  split: [on(STRING, [STRING], listOf(STRING)), on(STRING, [STRING, INT], listOf(STRING))],
  substring: [on(STRING, [INT], STRING), on(STRING, [INT, INT], STRING)],
  join: [on(listOf(STRING), [], STRING), on(listOf(STRING), [STRING], STRING)],
  getFullYear: CALENDAR,
  getMonth: CALENDAR,
  getDate: CALENDAR,
  getDayOfMonth: CALENDAR,
  getDayOfWeek: CALENDAR,
  getDayOfYear: CALENDAR,
  getHours: CLOCK,
  getMinutes: CLOCK,
  getSeconds: CLOCK,
  getMilliseconds: CLOCK,
};

const MACROS = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

export function isFunction(name: string): boolean {
  return Object.hasOwn(SIGNATURES, name);
}

/** The type of a call, or `undefined` when no form of the function takes these types. */
export function functionType(
  name: string,
  target: ExprType | undefined,
  args: readonly ExprType[],
): ExprType | undefined {
  return SIGNATURES[name]?.find(signature => accepts(signature, target, args))?.result;
}

function accepts(signature: Signature, target: ExprType | undefined, args: readonly ExprType[]): boolean {
  if ((signature.target === undefined) !== (target === undefined) || signature.args.length !== args.length)
    return false;
  if (signature.target !== undefined && target !== undefined && !takes(signature.target, target)) return false;
  return signature.args.every((wanted, index) => takes(wanted, args[index]!));
}

/** Unlike in arithmetic, a double is no int here: `text.substring(1.5)` has no meaning. */
function takes(wanted: ExprType, given: ExprType): boolean {
  return membersOf(given).some(
    member => mayOverlap(wanted, member) && (wanted.kind !== 'int' || member.kind !== 'double'),
  );
}

/** Message and hint for a call of what is no function, or of a macro in a form that is none. */
export function unknownFunction(name: string): readonly [message: string, hint: string | undefined] {
  if (name === 'has') return ['has asks for a field', 'Write has(state.amount)'];
  if (name === 'orValue') return ['orValue stands on a field', 'Write state.amount.orValue(0)'];
  if (MACROS.has(name)) return [`${name} takes a name and an expression`, `Write list.${name}(item, item > 0)`];
  const meant = closest(name, [...Object.keys(SIGNATURES), ...MACROS, 'has', 'orValue']);
  return [`There is no function ${name}`, meant && `Did you mean ${meant}?`];
}
