import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical.ts';
import { digestOf, sha256Hex, shortId } from './digest.ts';
import { jsonEqual } from './equal.ts';
import type { JsonValue } from './value.ts';

const value = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;

/** The same value with the keys of every object the other way round. */
function reversed(json: JsonValue): JsonValue {
  if (Array.isArray(json)) return json.map(reversed);
  if (typeof json !== 'object' || json === null) return json;
  const entries = Object.entries(json).map(([key, member]) => [key, reversed(member)] as const);
  return Object.fromEntries(entries.reverse());
}

describe('canonical JSON', () => {
  it('writes numbers, escapes and key order as RFC 8785 has it', () => {
    const numbers = [1 / 3, 1e22, 7.5, 6e-3, 2e-9, -0, 1e21, 3e20];
    expect(canonicalJson({ text: '€/\u0007\t\'Q"\\', numbers, list: [null, true, false, {}] })).toBe(
      '{"list":[null,true,false,{}],"numbers":[0.3333333333333333,1e+22,7.5,0.006,2e-9,0,1e+21,300000000000000000000],' +
        '"text":"€/\\u0007\\t\'Q\\"\\\\"}',
    );
  });

  it('sorts keys by UTF-16 code units, so a pair comes before U+FF5E, and digits by text', () => {
    const object = Object.fromEntries(['\uff5e', 'b', '😀', '20', '審', 'B', '3', '\n', ''].map(key => [key, 0]));
    expect(canonicalJson(object)).toBe('{"":0,"\\n":0,"20":0,"3":0,"B":0,"b":0,"審":0,"😀":0,"\uff5e":0}');
  });

  it('reads back as an equal value, and writing that again changes nothing', () => {
    fc.assert(
      fc.property(value, json => {
        const text = canonicalJson(json);
        const back = JSON.parse(text) as JsonValue;
        expect(jsonEqual(back, json)).toBe(true);
        expect(canonicalJson(back)).toBe(text);
      }),
    );
  });

  it('is one text exactly for equal values', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(canonicalJson(reversed(a))).toBe(canonicalJson(a));
        expect(canonicalJson(a) === canonicalJson(b)).toBe(jsonEqual(a, b));
      }),
    );
  });

  it.each([
    ['NaN', [Number.NaN]],
    ['undefined', { a: undefined }],
    ['a hole', new Array(1)],
    ['a lone surrogate', ['\ud83d']],
    ['a lone surrogate in a key', { '\ude00': 1 }],
    ['a BigInt', [1n]],
  ])('refuses %s', (_name, bad) => {
    expect(() => canonicalJson(bad as unknown as JsonValue)).toThrow('No canonical JSON');
  });
});

describe('jsonEqual', () => {
  it('holds for a value and itself with its keys the other way round', () => {
    fc.assert(
      fc.property(value, json => {
        expect(jsonEqual(json, reversed(structuredClone(json)))).toBe(true);
      }),
    );
  });

  it.each<[JsonValue, JsonValue]>([
    [{ a: 1 }, { a: 1, b: 1 }],
    [{ a: 1, b: 1 }, { a: 1 }],
    [{ toString: 1 }, { a: 1 }],
    [{ a: 1 }, { b: 1 }],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, 2]],
    [[], {}],
    [{}, []],
    [null, {}],
    [{}, null],
    [0, null],
    ['1', 1],
    [false, 0],
    [{ a: { b: [1, { c: 2 }] } }, { a: { b: [1, { c: 3 }] } }],
  ])('tells %j from %j', (a, b) => {
    expect(jsonEqual(a, b)).toBe(false);
  });
});

describe('digests', () => {
  it('are SHA-256 of the UTF-8', () => {
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(sha256Hex('審批😀')).not.toBe(sha256Hex('審批?'));
  });

  it('of values do not depend on key order', () => {
    expect(digestOf({ b: [1, 2], a: 'x' })).toBe(`sha256:${sha256Hex('{"a":"x","b":[1,2]}')}`);
    expect(digestOf({ a: 'x', b: [1, 2] })).toBe(digestOf({ b: [1, 2], a: 'x' }));
    expect(digestOf({ a: 'x', b: [2, 1] })).not.toBe(digestOf({ a: 'x', b: [1, 2] }));
  });
});

describe('short ids', () => {
  it('are the first 130 bits of the hash in base32, the same at every call', () => {
    fc.assert(
      fc.property(fc.string(), text => {
        const id = shortId('req_', text);
        expect(id).toMatch(/^req_[0-9a-hjkmnp-tv-z]{26}$/);
        const digits = [...id.slice(4)].map(c => '0123456789abcdefghjkmnpqrstvwxyz'.indexOf(c));
        const bits = digits.reduce((sum, digit) => sum * 32n + BigInt(digit), 0n);
        expect(bits).toBe(BigInt(`0x${sha256Hex(text)}`) >> 126n);
        expect(shortId('req_', text)).toBe(id);
      }),
    );
  });
});
