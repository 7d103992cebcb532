import {
  type CelEnv,
  type CelFunc,
  CelScalar,
  type CelValue,
  celEnv,
  celFunc,
  celMethod,
  listType,
  objectType,
} from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import { TimestampSchema, timestampFromMs } from '@bufbuild/protobuf/wkt';
import { RE2JS } from 're2js';
import { builtList, concatLists, hasElement, literalMap } from './cel-value.ts';
import { charge, chargeText } from './cost.ts';
import { timeMethods } from './time-methods.ts';

/**
 * The functions of our dialect: CEL's own, with what the rewriting needs (`@…`), with ints and doubles mixing, and with
 * the library's functions put right where they depend on the machine (time zone), accept what is no number, or could
 * grow without limit. docs/guides/expressions.md lists what a user sees of it.
 */
const { BOOL, DOUBLE, DYN, INT, STRING } = CelScalar;
const LIST = listType(DYN);
const TIMESTAMP = objectType(TimestampSchema);

/** From the strings extension. `format` and `quote` are left out: their cost is not bounded by their arguments. */
const TEXT_FUNCTIONS = new Set([
  'charAt',
  'indexOf',
  'lastIndexOf',
  'lowerAscii',
  'upperAscii',
  'split',
  'substring',
  'trim',
  'join',
]);

let shared: CelEnv | undefined;

export function expressionEnv(): CelEnv {
  shared ??= celEnv({
    funcs: [
      ...[...celEnv().funcs].map(charged),
      ...strings.filter(func => TEXT_FUNCTIONS.has(func.name)).map(charged),
      ...mixedArithmetic(),
      ...conversions(),
      ...timeMethods(),
      ...textMethods(),
      ...structure(),
    ],
  });
  return shared;
}

/** The same function, paying for the text it looks at before it runs. Objects and lists charge when they are walked. */
function charged(func: CelFunc): CelFunc {
  const call = (id: number, target: CelValue | undefined, args: CelValue[]) => {
    if (typeof target === 'string') chargeText(target.length);
    for (const arg of args) if (typeof arg === 'string') chargeText(arg.length);
    return func.call(id, target, args);
  };
  return Object.create(func, { call: { value: call } });
}

/** A function that takes any number of arguments; the library's own are of fixed number. */
function variadic(name: string, build: (args: CelValue[]) => CelValue): CelFunc {
  const base = celFunc(name, [], DYN, () => null);
  return Object.create(base, {
    call: { value: (_id: number, _target: unknown, args: CelValue[]) => build(args) },
  });
}

function structure(): CelFunc[] {
  return [
    celFunc('@pass', [], BOOL, () => {
      charge(1);
      return true;
    }),
    variadic('@list', builtList),
    variadic('@map', literalMap),
    celFunc('@present', [DYN, DYN], BOOL, hasElement),
    celFunc('_+_', [LIST, LIST], LIST, concatLists),
  ];
}

function mixedArithmetic(): CelFunc[] {
  const mixed = (name: string, apply: (left: number, right: number) => number) => [
    celFunc(name, [INT, DOUBLE], DOUBLE, (left, right) => apply(Number(left), right)),
    celFunc(name, [DOUBLE, INT], DOUBLE, (left, right) => apply(left, Number(right))),
  ];
  const remainder = (left: number, right: number) => left % right;
  return [
    ...mixed('_+_', (left, right) => left + right),
    ...mixed('_-_', (left, right) => left - right),
    ...mixed('_*_', (left, right) => left * right),
    ...mixed('_/_', (left, right) => left / right),
    ...mixed('_%_', remainder),
    celFunc('_%_', [DOUBLE, DOUBLE], DOUBLE, remainder),
  ];
}

const INTEGER_TEXT = /^[+-]?\d{1,19}$/;
const NUMBER_TEXT = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

function conversions(): CelFunc[] {
  return [
    celFunc('int', [STRING], INT, text => {
      if (!INTEGER_TEXT.test(text)) throw new Error(`"${text.slice(0, 40)}" is no integer`);
      const value = BigInt(text.replace('+', ''));
      if (BigInt.asIntN(64, value) !== value) throw new Error(`"${text}" is beyond 64 bits`);
      return value;
    }),
    celFunc('double', [STRING], DOUBLE, text => {
      if (!NUMBER_TEXT.test(text)) throw new Error(`"${text.slice(0, 40)}" is no number`);
      return Number(text);
    }),
    celFunc('timestamp', [INT], TIMESTAMP, seconds => timestampFromMs(Number(seconds) * 1000)),
  ];
}

function textMethods(): CelFunc[] {
  return [
    celMethod('matches', STRING, [STRING], BOOL, function (pattern) {
      const text = String(this);
      // Linear in the text for a given pattern, yet every character may meet every state of the pattern.
      charge(Math.ceil((text.length * statesOf(pattern)) / 64));
      return compilePattern(pattern).test(text);
    }),
    celMethod('replace', STRING, [STRING, STRING], STRING, function (find, by) {
      return replaceText(String(this), find, by, Number.POSITIVE_INFINITY);
    }),
    celMethod('replace', STRING, [STRING, STRING, INT], STRING, function (find, by, times) {
      return replaceText(String(this), find, by, times < 0n ? Number.POSITIVE_INFINITY : Number(times));
    }),
  ];
}

const MAX_REPEAT = 1000;

/** About how many states a pattern has: `{1,1000}` is short to write and long to match. RE2 repeats at most 1000 times in all. */
function statesOf(pattern: string): number {
  let repeats = 1;
  for (const [, from, to] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) repeats *= Math.max(1, Number(to || from));
  return pattern.length + Math.min(MAX_REPEAT, repeats);
}

function replaceText(text: string, find: string, by: string, times: number): string {
  chargeText(text.length + find.length);
  const parts = text.split(find);
  const count = Math.min(times, parts.length - 1);
  chargeText(count * by.length + parts.length);
  return [parts.slice(0, count + 1).join(by), ...parts.slice(count + 1)].join(find);
}

const patterns = new Map<string, RE2JS>();
const MAX_PATTERNS = 200;

/** Throws when the pattern is no RE2 pattern. Compiled patterns are kept, the oldest leaves first. */
function compilePattern(pattern: string): RE2JS {
  const known = patterns.get(pattern);
  if (known !== undefined) return known;
  const compiled = RE2JS.compile(pattern);
  if (patterns.size >= MAX_PATTERNS) patterns.delete(patterns.keys().next().value!);
  patterns.set(pattern, compiled);
  return compiled;
}

/** Why a pattern cannot be compiled, if it cannot. */
export function patternProblem(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
