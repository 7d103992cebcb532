import { SignalboxError } from '../error/error.ts';
import { pointerTo } from '../error/fault.ts';
import { isWellFormedText } from './text.ts';
import { DANGEROUS_KEYS, ERASED_KEY, type JsonValue, MAX_JSON_DEPTH } from './value.ts';

/** Why a value is not JSON. `instance` is an object of a class (Map, Date, Promise …), `integerTooLarge` beyond 2^53 - 1. */
export type ValueRefusal =
  | 'undefined'
  | 'hole'
  | 'function'
  | 'symbol'
  | 'bigint'
  | 'nan'
  | 'infinity'
  | 'integerTooLarge'
  | 'nul'
  | 'loneSurrogate'
  | 'dangerousKey'
  | 'reservedKey'
  | 'instance'
  | 'cycle'
  | 'tooDeep';

export interface RefusedValue {
  readonly ok: false;
  /** JSON pointer to what is refused; for a key that may not be quoted (NUL, lone surrogate) to the object it stands in. */
  readonly pointer: string;
  readonly reason: ValueRefusal;
  /** The refused thing in words, to follow "is" or stand alone: `an instance of Map`. */
  readonly message: string;
  readonly hint?: string;
}

export type ToJsonResult = { readonly ok: true; readonly value: JsonValue } | RefusedValue;

/**
 * Takes a value of a program as JSON, or says where it is not JSON. A clean value comes back as the same reference;
 * members that are `undefined` are left out and -0 becomes 0, in a copy. The input is never changed.
 * Only own enumerable text keys are looked at. Nothing is converted by `toJSON`. A getter is read as a value.
 */
export function toJsonValue(value: unknown, pointer = ''): ToJsonResult {
  if (value === null || typeof value === 'boolean') return { ok: true, value };
  const walk = new Walk(pointer);
  const clean = walk.take(value, 0);
  return walk.refused ?? { ok: true, value: clean };
}

/**
 * Gives `value` as JSON, as {@link toJsonValue} does; `what` begins the message: `The output of node "fetch"`.
 * @throws SignalboxError `InvalidValue`, `details`: `pointer`, `reason` (a {@link ValueRefusal}).
 */
export function assertJsonValue(value: unknown, what: string): JsonValue {
  const result = toJsonValue(value);
  if (result.ok) return result.value;
  const { pointer, reason, message, hint } = result;
  const place = pointer === '' ? '' : ` at ${pointer}`;
  throw new SignalboxError('InvalidValue', `${what} is not a JSON value: ${message}${place}.`, {
    ...(hint === undefined ? {} : { hint }),
    details: { pointer, reason },
  });
}

/**
 * One walk over one value.
 *
 * 1. After a refusal every `take` returns at once and its result is not used.
 * 2. `path[i]` is the key taken out of `ancestors[i]`; entries from the present depth on are stale.
 * 3. A cycle is met as depth without end, so a clean value pays nothing for the test.
 */
class Walk {
  refused: RefusedValue | undefined;
  private readonly base: string;
  private readonly path: (string | number)[] = [];
  private readonly ancestors: object[] = [];

  constructor(base: string) {
    this.base = base;
  }

  take(value: unknown, depth: number): JsonValue {
    switch (typeof value) {
      case 'string':
        return this.checkText(value, depth) ? value : null;
      case 'number':
        return this.takeNumber(value, depth);
      case 'boolean':
        return value;
      case 'object':
        if (value === null) return null;
        if (depth >= MAX_JSON_DEPTH) return this.refuseDepth(value, depth);
        this.ancestors[depth] = value;
        return Array.isArray(value) ? this.takeArray(value, depth) : this.takeObject(value, depth);
      case 'bigint':
        return this.refuse(depth, 'bigint', 'a BigInt', 'Give it as text, under `format: int64`.');
      case 'undefined':
        return this.refuse(depth, 'undefined', 'undefined', 'Give null where nothing is meant.');
      default:
        return this.refuse(depth, typeof value === 'symbol' ? 'symbol' : 'function', `a ${typeof value}`);
    }
  }

  private takeNumber(value: number, depth: number): JsonValue {
    if (value <= Number.MAX_SAFE_INTEGER && value >= -Number.MAX_SAFE_INTEGER) return value === 0 ? 0 : value;
    if (Number.isNaN(value)) return this.refuse(depth, 'nan', 'NaN');
    if (!Number.isFinite(value)) return this.refuse(depth, 'infinity', String(value));
    const hint = 'Give it as text, under `format: int64` where it is an integer.';
    return this.refuse(depth, 'integerTooLarge', 'a number beyond 2^53 - 1', hint);
  }

  private takeArray(value: readonly unknown[], depth: number): JsonValue {
    if (!isPlainArray(value)) return this.refuseInstance(value, depth);
    let copy: JsonValue[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const item = value[i];
      this.path[depth] = i;
      if (item === undefined && !Object.hasOwn(value, i)) return this.refuse(depth + 1, 'hole', 'a hole in a list');
      const clean = this.take(item, depth + 1);
      if (this.refused) return null;
      if (copy === undefined && !Object.is(clean, item)) copy = value.slice(0, i) as JsonValue[];
      copy?.push(clean);
    }
    return copy ?? (value as readonly JsonValue[]);
  }

  private takeObject(value: object, depth: number): JsonValue {
    if (!isPlainObject(value)) return this.refuseInstance(value, depth);
    const source = value as Record<string, unknown>;
    const keys = Object.keys(source);
    let copy: Record<string, JsonValue> | undefined;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i]!;
      const item = source[key];
      if (!this.checkText(key, depth)) return null;
      this.path[depth] = key;
      if (DANGEROUS_KEYS.has(key)) return this.refuse(depth + 1, 'dangerousKey', 'a key that is not allowed');
      if (key === ERASED_KEY)
        return this.refuse(depth + 1, 'reservedKey', 'a key that marks erased values alone', 'Choose another name.');
      const clean = item === undefined ? undefined : this.take(item, depth + 1);
      if (this.refused) return null;
      if (copy === undefined && (clean === undefined || !Object.is(clean, item))) copy = pick(source, keys, i);
      if (copy !== undefined && clean !== undefined) copy[key] = clean;
    }
    return copy ?? (value as JsonValue);
  }

  private checkText(text: string, depth: number): boolean {
    if (text.includes('\0')) {
      this.refuse(depth, 'nul', 'a text with NUL (U+0000)', 'Not every store can hold it. Give binary data as base64.');
    } else if (!isWellFormedText(text)) {
      this.refuse(depth, 'loneSurrogate', 'a text with half a surrogate pair', 'Cut texts between code points.');
    }
    return this.refused === undefined;
  }

  private refuseInstance(value: object, depth: number): null {
    const name = classNameOf(value);
    const hint = name === 'Promise' ? 'Await it.' : 'Give a plain object, a list or a text made from it.';
    return this.refuse(depth, 'instance', `an instance of ${name}`, hint);
  }

  private refuseDepth(value: object, depth: number): null {
    this.ancestors[depth] = value;
    const chain = this.ancestors.slice(0, depth + 1);
    const again = chain.findIndex((ancestor, i) => chain.indexOf(ancestor) < i);
    if (again >= 0) return this.refuse(again, 'cycle', 'a cycle (a value that contains itself)');
    return this.refuse(depth, 'tooDeep', `nesting deeper than ${MAX_JSON_DEPTH}`);
  }

  private refuse(depth: number, reason: ValueRefusal, message: string, hint?: string): null {
    const pointer = this.path.slice(0, depth).reduce<string>(pointerTo, this.base);
    this.refused = { ok: false, pointer, reason, message, ...(hint === undefined ? {} : { hint }) };
    return null;
  }
}

/** The members before `end` that are there; all of them were found clean as they are. */
function pick(source: Record<string, unknown>, keys: readonly string[], end: number): Record<string, JsonValue> {
  const copy: Record<string, JsonValue> = {};
  for (const key of keys.slice(0, end)) copy[key] = source[key] as JsonValue;
  return copy;
}

/** By shape of the prototype chain, not identity: values may come from another realm. */
function isPlainArray(value: readonly unknown[]): boolean {
  const proto: unknown = Object.getPrototypeOf(value);
  return proto === Array.prototype || (Array.isArray(proto) && isRootPrototype(Object.getPrototypeOf(proto)));
}

function isPlainObject(value: object): boolean {
  const proto: unknown = Object.getPrototypeOf(value);
  return proto === Object.prototype || proto === null || isRootPrototype(proto);
}

function isRootPrototype(proto: unknown): boolean {
  if (typeof proto !== 'object' || proto === null) return false;
  return Object.getPrototypeOf(proto) === null && Object.hasOwn(proto, 'isPrototypeOf');
}

function classNameOf(value: object): string {
  const maker: unknown = value.constructor;
  return typeof maker === 'function' && /^[\w$]{1,60}$/.test(maker.name) ? maker.name : 'a class';
}
