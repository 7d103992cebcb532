import {
  type CelInput,
  type CelList,
  type CelMap,
  type CelUint,
  type CelValue,
  isCelList,
  isCelMap,
  isCelUint,
} from '@bufbuild/cel';
import { fromJson, isMessage, type Message } from '@bufbuild/protobuf';
import { isReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { DurationSchema, type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt';
import { DANGEROUS_KEYS, type JsonValue } from '../json/value.ts';
import { charge, chargeText } from './cost.ts';
import { type ExprType, fieldTypeOf, itemTypeOf, membersOf } from './expr-type.ts';

/**
 * How JSON becomes CEL values and back.
 *
 * 1. Nothing is copied: an object or list is wrapped, and a field is converted when it is read.
 * 2. Only own keys are seen, and never `__proto__`, `constructor`, `prototype`. An own key holding `undefined` is absent.
 * 3. A JSON number is an int or a double by its declared type; where that is not known, integral numbers are ints.
 * 4. Whoever walks a list or map pays a unit per element, so no function of the library can walk without limit.
 */

type MapKey = bigint | string | boolean | CelUint;
type KeyInput = MapKey | number;

abstract class MapView {
  abstract get size(): number;
  abstract get(key: KeyInput): CelValue | undefined;
  abstract keys(): IterableIterator<MapKey>;

  has(key: KeyInput): boolean {
    return this.get(key) !== undefined;
  }

  *entries(): IterableIterator<[MapKey, CelValue]> {
    for (const key of this.keys()) {
      charge(1);
      yield [key, this.get(key)!];
    }
  }

  *values(): IterableIterator<CelValue> {
    for (const [, value] of this.entries()) yield value;
  }

  forEach(callback: (value: CelValue, key: MapKey, map: MapView) => void): void {
    for (const [key, value] of this.entries()) callback(value, key, this);
  }

  [Symbol.iterator](): IterableIterator<[MapKey, CelValue]> {
    return this.entries();
  }
}

/** A JSON object seen as a CEL map. */
class JsonMap extends MapView {
  readonly raw: object;
  readonly #type: ExprType;

  constructor(raw: object, type: ExprType) {
    super();
    this.raw = raw;
    this.#type = type;
  }

  get size(): number {
    return this.#names().length;
  }

  get(key: KeyInput): CelValue | undefined {
    if (typeof key !== 'string' || !Object.hasOwn(this.raw, key) || DANGEROUS_KEYS.has(key)) return undefined;
    const value = (this.raw as Record<string, unknown>)[key];
    return value === undefined ? undefined : toCelValue(value, fieldTypeOf(this.#type, key));
  }

  keys(): IterableIterator<string> {
    return this.#names().values();
  }

  #names(): string[] {
    return Object.keys(this.raw).filter(
      key => !DANGEROUS_KEYS.has(key) && (this.raw as Record<string, unknown>)[key] !== undefined,
    );
  }
}

/** A map that an expression wrote down. */
class LiteralMap extends MapView {
  readonly #entries: ReadonlyMap<bigint | string | boolean, CelValue>;

  constructor(entries: ReadonlyMap<bigint | string | boolean, CelValue>) {
    super();
    this.#entries = entries;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: KeyInput): CelValue | undefined {
    return this.#entries.get(literalKey(key)!);
  }

  keys(): IterableIterator<bigint | string | boolean> {
    return this.#entries.keys();
  }
}

/** A JSON array seen as a CEL list. */
class JsonList {
  readonly raw: readonly unknown[];
  readonly #items: ExprType;

  constructor(raw: readonly unknown[], items: ExprType) {
    this.raw = raw;
    this.#items = items;
  }

  get size(): number {
    return this.raw.length;
  }

  get(index: number): CelValue | undefined {
    charge(1);
    const value = this.raw[index];
    return value === undefined ? undefined : toCelValue(value, this.#items);
  }

  *values(): IterableIterator<CelValue> {
    for (const value of this.raw) {
      charge(1);
      yield toCelValue(value, this.#items);
    }
  }

  [Symbol.iterator](): IterableIterator<CelValue> {
    return this.values();
  }
}

/**
 * A list that an expression built. `map` and `filter` build by adding one element at a time, so the list whose end is
 * the end of the shared array owns the tail and grows in place; older views keep their length. Linear instead of quadratic.
 */
class BuiltList {
  readonly size: number;
  readonly #shared: CelValue[];

  constructor(shared: CelValue[]) {
    this.#shared = shared;
    this.size = shared.length;
  }

  plus(more: Iterable<CelValue>, count: number): BuiltList {
    const ownsTail = this.#shared.length === this.size;
    charge(ownsTail ? count : this.size + count);
    const shared = ownsTail ? this.#shared : this.#shared.slice(0, this.size);
    for (const value of [...more]) shared.push(value);
    return new BuiltList(shared);
  }

  get(index: number): CelValue | undefined {
    charge(1);
    return index < this.size ? this.#shared[index] : undefined;
  }

  *values(): IterableIterator<CelValue> {
    for (let index = 0; index < this.size; index++) yield this.get(index)!;
  }

  [Symbol.iterator](): IterableIterator<CelValue> {
    return this.values();
  }
}

// The library knows its own maps and lists by these registered symbols; there is no other way to give it a lazy one.
Object.defineProperty(MapView.prototype, Symbol.for('@bufbuild/cel/map'), { value: true });
for (const list of [JsonList, BuiltList])
  Object.defineProperty(list.prototype, Symbol.for('@bufbuild/cel/list'), { value: true });

const asMap = (view: MapView) => view as unknown as CelMap;
const asList = (view: JsonList | BuiltList) => view as unknown as CelList;

export function builtList(values: CelValue[]): CelList {
  return asList(new BuiltList(values));
}

export function concatLists(left: CelList, right: CelList): CelList {
  const start = left instanceof BuiltList ? left : new BuiltList([...left]);
  return asList(start.plus(right, right.size));
}

/** Keys and values in turn. Throws on a key that is no text, integer or boolean, and on one written twice. */
export function literalMap(parts: readonly CelValue[]): CelMap {
  const entries = new Map<bigint | string | boolean, CelValue>();
  for (let index = 0; index < parts.length; index += 2) {
    const key = literalKey(parts[index]!);
    if (key === undefined) throw new Error('a key of a map must be a string, an integer or a boolean');
    if (entries.has(key)) throw new Error(`the key ${String(key)} is written twice`);
    entries.set(key, parts[index + 1]!);
  }
  return asMap(new LiteralMap(entries));
}

/** Numbers of equal value are the same key. */
function literalKey(key: CelValue | KeyInput): bigint | string | boolean | undefined {
  if (typeof key === 'string' || typeof key === 'bigint' || typeof key === 'boolean') return key;
  if (typeof key === 'number') return Number.isInteger(key) ? BigInt(key) : undefined;
  return isCelUint(key) ? key.value : undefined;
}

/** Whether an element stands under this key or index; false for values that have no elements. */
export function hasElement(container: CelValue, key: CelValue): boolean {
  if (isCelMap(container)) return literalKey(key) !== undefined && container.has(key as MapKey);
  if (!isCelList(container) || (typeof key !== 'bigint' && typeof key !== 'number')) return false;
  return key >= 0 && key < container.size && Number.isInteger(Number(key));
}

/** Wraps; throws on what is not JSON (functions, symbols). Text of type timestamp becomes one. */
export function toCelValue(value: unknown, type: ExprType): CelValue {
  switch (typeof value) {
    case 'string':
      return type.kind === 'timestamp' ? timestampOf(value) : value;
    case 'boolean':
    case 'bigint':
      return value;
    case 'number':
      return Number.isSafeInteger(value) && !isDouble(type) ? BigInt(value) : value;
    case 'object':
      if (value === null) return null;
      return Array.isArray(value) ? asList(new JsonList(value, itemTypeOf(type))) : asMap(new JsonMap(value, type));
    default:
      throw new Error(`a ${typeof value} is no JSON value`);
  }
}

function isDouble(type: ExprType): boolean {
  return type.kind === 'double' || (type.kind === 'union' && membersOf(type).some(isDouble));
}

function timestampOf(text: string): CelValue {
  return reflect(TimestampSchema, fromJson(TimestampSchema, text)) as CelValue & CelInput;
}

/** Throws on what JSON cannot hold, and charges per element: shared parts are counted as often as they appear. */
export function fromCelValue(value: CelValue): JsonValue {
  charge(1);
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'string':
      return checkedText(value);
    case 'bigint':
      return checkedInteger(value);
    case 'number':
      return checkedNumber(value);
    default:
      return value === null ? null : objectToJson(value);
  }
}

function objectToJson(value: object): JsonValue {
  if (value instanceof JsonMap || value instanceof JsonList) return value.raw as JsonValue;
  if (isCelList(value)) return Array.from(value, fromCelValue);
  if (isCelMap(value)) return mapToJson(value);
  if (isCelUint(value)) return checkedInteger(value.value);
  if (isReflectMessage(value)) return messageToJson(value.message);
  throw new Error('bytes and types are no JSON values');
}

function messageToJson(message: Message): JsonValue {
  if (isMessage(message, TimestampSchema)) return timestampText(message);
  if (isMessage(message, DurationSchema)) return durationText(message.seconds * 1_000_000_000n + BigInt(message.nanos));
  throw new Error(`${message.$typeName} is no JSON value`);
}

function mapToJson(map: CelMap): JsonValue {
  const result: Record<string, JsonValue> = {};
  for (const [key, value] of map.entries()) {
    if (typeof key !== 'string') throw new Error(`the key ${String(key)} is no text; JSON objects have text keys`);
    if (DANGEROUS_KEYS.has(key)) throw new Error(`the key ${key} is not allowed`);
    result[key] = fromCelValue(value);
  }
  return result;
}

function checkedText(text: string): string {
  chargeText(text.length);
  if (/\p{Surrogate}/u.test(text)) throw new Error('the text was cut inside a character');
  return text;
}

function checkedInteger(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new Error(`${value} is beyond 2^53; use string(…) to keep it as text`);
  return number;
}

function checkedNumber(value: number): number {
  if (!Number.isFinite(value)) throw new Error(`${value} is no JSON number`);
  return value === 0 ? 0 : value;
}

/** RFC 3339 UTC with milliseconds, or as many digits as the instant needs. */
function timestampText(timestamp: Timestamp): string {
  const millis = Number(timestamp.seconds) * 1000 + Math.floor(timestamp.nanos / 1_000_000);
  const finer = timestamp.nanos % 1_000_000;
  const text = new Date(millis).toISOString();
  return finer === 0 ? text : text.replace('Z', `${String(finer).padStart(6, '0').replace(/0+$/, '')}Z`);
}

/** Seconds: `3600s`, `-1.5s`. */
function durationText(nanos: bigint): string {
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = (size % 1_000_000_000n).toString().padStart(9, '0').replace(/0+$/, '');
  return `${nanos < 0n ? '-' : ''}${size / 1_000_000_000n}${fraction === '' ? '' : `.${fraction}`}s`;
}
