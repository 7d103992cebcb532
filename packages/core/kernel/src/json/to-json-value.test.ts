import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSignalboxError } from '../error/error.ts';
import { parseStrictJson } from './strict-json.ts';
import { assertJsonValue, toJsonValue } from './to-json-value.ts';

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}

describe('a value of a program taken as JSON', () => {
  it('is the same reference when it is clean, shared parts included', () => {
    const shared = { n: 1 };
    const value = deepFreeze({ a: [shared, shared, null, true, 'x', 1.5], b: { c: shared }, e: {}, f: [] });
    const result = toJsonValue(value);
    expect(result.ok && result.value).toBe(value);
  });

  it('leaves out undefined members in a copy, keeps order and untouched parts, and never changes the input', () => {
    const kept = { n: 1 };
    const value = deepFreeze({ z: kept, gone: undefined, a: { gone: undefined, list: [{ gone: undefined }, kept] } });
    const result = toJsonValue(value);
    expect(result).toStrictEqual({ ok: true, value: { z: kept, a: { list: [{}, kept] } } });
    expect(result.ok && JSON.stringify(result.value)).toBe('{"z":{"n":1},"a":{"list":[{},{"n":1}]}}');
    expect(result.ok && (result.value as { z: unknown }).z).toBe(kept);
  });

  it('turns -0 into 0, as it would read once stored', () => {
    expect(toJsonValue({ a: [1, -0] })).toStrictEqual({ ok: true, value: { a: [1, 0] } });
    expect(toJsonValue(-0)).toStrictEqual({ ok: true, value: 0 });
  });

  const cycle: Record<string, unknown> = { name: 'x' };
  cycle.list = [{ back: cycle }];
  const holed = [1, 2];
  holed[3] = 4;
  class Money {
    amount = 1;
  }
  class Rows extends Array<number> {}
  class Bare {}
  Object.setPrototypeOf(Bare.prototype, null);

  it.each([
    ['NaN', { plan: [Number.NaN] }, '/plan/0', 'nan'],
    ['a Map', { plan: { m: new Map() } }, '/plan/m', 'instance'],
    ['a cycle', { plan: cycle }, '/plan/list/0/back', 'cycle'],
    ['a BigInt', { 'a/b~': [0, 1n] }, '/a~1b~0/1', 'bigint'],
    ['Infinity', [Number.NEGATIVE_INFINITY], '/0', 'infinity'],
    ['an integer beyond 2^53 - 1', { n: 2 ** 53 }, '/n', 'integerTooLarge'],
    ['a large negative number', { n: -1e300 }, '/n', 'integerTooLarge'],
    ['undefined in a list', [1, undefined], '/1', 'undefined'],
    ['a hole in a list', { a: holed }, '/a/2', 'hole'],
    ['undefined alone', undefined, '', 'undefined'],
    ['a function', { a: () => 1 }, '/a', 'function'],
    ['an own toJSON', { toJSON: () => 1 }, '/toJSON', 'function'],
    ['a symbol', [Symbol('s')], '/0', 'symbol'],
    ['a Set', [new Set()], '/0', 'instance'],
    ['a Date', { at: new Date(0) }, '/at', 'instance'],
    ['a typed array', { a: new Uint8Array(2) }, '/a', 'instance'],
    ['a boxed text', { a: Object('x') }, '/a', 'instance'],
    ['an error', { a: new Error('x') }, '/a', 'instance'],
    ['an instance', new Money(), '', 'instance'],
    ['an instance of a class without a root', new Bare(), '', 'instance'],
    ['a subclass of Array', { rows: new Rows() }, '/rows', 'instance'],
    ['an object made from another', Object.create({ a: 1 }), '', 'instance'],
    ['a dangerous key', { a: JSON.parse('{"__proto__":{"x":1}}') }, '/a/__proto__', 'dangerousKey'],
    ['an own constructor', { a: { constructor: 1 } }, '/a/constructor', 'dangerousKey'],
    ['a dangerous key that is undefined', { prototype: undefined }, '/prototype', 'dangerousKey'],
  ])('C14 %s is refused with its path', (_name, value, pointer, reason) => {
    expect(toJsonValue(value)).toMatchObject({ ok: false, pointer, reason });
  });

  it('C26 NUL and lone surrogates are refused with the path, a pair and look-alikes pass', () => {
    expect(toJsonValue({ v: 'a\u0000b' })).toMatchObject({ ok: false, pointer: '/v', reason: 'nul' });
    expect(toJsonValue(['\ud83d'])).toMatchObject({ ok: false, pointer: '/0', reason: 'loneSurrogate' });
    expect(toJsonValue({ a: { 'x\ud83d': 1 } })).toMatchObject({ ok: false, pointer: '/a', reason: 'loneSurrogate' });
    expect(toJsonValue({ a: { '\0': undefined } })).toMatchObject({ ok: false, pointer: '/a', reason: 'nul' });
    const fine = ['😀', '\\u0000', '審批\n\t\u0001'];
    const result = toJsonValue(fine);
    expect(result.ok && result.value).toBe(fine);
  });

  it('names the first refusal in reading order, under the pointer it was given', () => {
    const value = { ok: 1, bad: Number.NaN, worse: 1n };
    expect(toJsonValue(value, '/nodes/fetch')).toMatchObject({ pointer: '/nodes/fetch/bad', reason: 'nan' });
    expect(toJsonValue([undefined, [1n]])).toMatchObject({ pointer: '/0' });
  });

  it('refuses a list that contains itself at the place where it does', () => {
    const list: unknown[] = [];
    list.push(1, [list]);
    expect(toJsonValue(list)).toMatchObject({ ok: false, pointer: '/1/0', reason: 'cycle' });
  });

  it('allows the depth that the reader allows, and no more', () => {
    const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
    expect(toJsonValue(nested(64))).toMatchObject({ ok: true });
    expect(toJsonValue(nested(65))).toMatchObject({ ok: false, reason: 'tooDeep', pointer: '/0'.repeat(64) });
    expect(toJsonValue(nested(5_000))).toMatchObject({ ok: false, reason: 'tooDeep' });
  });

  it('takes objects without a prototype, and plain values of another realm', () => {
    const bare = Object.assign(Object.create(null) as object, { a: 1 });
    expect(toJsonValue(bare)).toEqual({ ok: true, value: bare });
    expect(toJsonValue(runInNewContext('({ a: [{}] })'))).toMatchObject({ ok: true });
    expect(toJsonValue(runInNewContext('new Map()'))).toMatchObject({ ok: false, reason: 'instance' });
    expect(toJsonValue(runInNewContext('new (class Rows extends Array {})()'))).toMatchObject({ ok: false });
  });

  it('gives out only what the strict reader would read back as the same', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSparseArray: true,
      withTypedArray: true,
      withUnicodeString: true,
      maxDepth: 3,
    });
    fc.assert(
      fc.property(anything, value => {
        const result = toJsonValue(value);
        if (result.ok) expect(parseStrictJson(JSON.stringify(result.value))).toEqual(result.value);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('assertJsonValue', () => {
  it('gives the value back without its undefined members', () => {
    expect(assertJsonValue({ a: 1, b: undefined }, 'The output')).toStrictEqual({ a: 1 });
  });

  it('throws InvalidValue that names what, where and why', () => {
    expect.assertions(3);
    try {
      assertJsonValue({ rows: [new Map()] }, 'The output of node "fetch"');
    } catch (error) {
      if (!isSignalboxError(error)) throw error;
      expect(error.code).toBe('InvalidValue');
      expect(error.message).toBe('The output of node "fetch" is not a JSON value: an instance of Map at /rows/0.');
      expect(error.details).toEqual({ pointer: '/rows/0', reason: 'instance' });
    }
  });

  it('says of a promise that it was not awaited', () => {
    expect(toJsonValue({ a: Promise.resolve(1) })).toMatchObject({ reason: 'instance', hint: 'Await it.' });
  });
});
