import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSignalboxError } from '../error/error.ts';
import { parseStrictJson, type StrictJsonLimits } from './strict-json.ts';
import { DANGEROUS_KEYS, type JsonValue } from './value.ts';

function refusal(text: string, limits?: StrictJsonLimits) {
  try {
    return { accepted: parseStrictJson(text, limits) };
  } catch (error) {
    if (!isSignalboxError(error) || error.code !== 'InvalidJson') throw error;
    return error.details;
  }
}

const cleanText = fc.string({ unit: 'binary', maxLength: 12 }).filter(text => !text.includes('\0'));
const cleanKey = cleanText.filter(text => !DANGEROUS_KEYS.has(text));
const cleanNumber = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, min: -1e15, max: 1e15 }).filter(number => !Object.is(number, -0)),
);
const { value: cleanValue } = fc.letrec<{ value: JsonValue }>(tie => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    cleanNumber,
    cleanText,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(cleanKey, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
}));

describe('the strict JSON reader', () => {
  it('reads back whatever is written of a clean value, indented or not', () => {
    fc.assert(
      fc.property(cleanValue, fc.constantFrom(0, 2, '\t'), (value, indent) => {
        expect(parseStrictJson(JSON.stringify(value, null, indent))).toStrictEqual(value);
      }),
    );
  });

  it('never accepts a text that JSON.parse refuses, and reads the same where both accept', () => {
    const damaged = fc
      .tuple(
        cleanValue,
        fc.nat(),
        fc.constantFrom('', '"', ',', '0', '-', '.', 'e', '\\', '{', ']', ' ', '\n', '\t', 'u'),
      )
      .map(([value, at, piece]) => {
        const text = JSON.stringify(value);
        const cut = at % (text.length + 1);
        return text.slice(0, cut) + piece + text.slice(cut + (at % 2));
      });
    fc.assert(
      fc.property(damaged, text => {
        const result = refusal(text);
        // -0 is read as 0; everything else comes out as JSON.parse reads it.
        if ('accepted' in result)
          expect(result.accepted).toEqual(JSON.parse(text, (_, item) => (item === 0 ? 0 : item)));
        else if (result.reason === 'syntax' || result.reason === 'trailing') expect(() => JSON.parse(text)).toThrow();
      }),
      { numRuns: 2_000 },
    );
  });

  it('refuses every duplicate key, at any depth and however the second is spelt', () => {
    const spelt = (key: string) =>
      `"${[...key].map(c => (c.length === 1 ? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}` : c)).join('')}"`;
    fc.assert(
      fc.property(cleanKey, cleanValue, cleanValue, fc.boolean(), fc.boolean(), (key, first, second, escaped, nest) => {
        const again = escaped ? spelt(key) : JSON.stringify(key);
        const object = `{${JSON.stringify(key)}:${JSON.stringify(first)},${again}:${JSON.stringify(second)}}`;
        expect(refusal(nest ? `[0,{"a":${object}}]` : object)).toMatchObject({ reason: 'duplicateKey' });
      }),
    );
  });

  it('says where it stopped by pointer, offset, line and column', () => {
    const text = '{\n  "a/b": [1, {"x": 1,\r\n "x": 2}]\n}';
    expect(refusal(text)).toEqual({
      reason: 'duplicateKey',
      pointer: '/a~1b/1/x',
      offset: text.lastIndexOf('"x"'),
      line: 3,
      column: 2,
    });
    expect(refusal('{"a": {"b": 1}, "c" 2}')).toMatchObject({ pointer: '/c', offset: 20, reason: 'syntax' });
    expect(refusal('{"a": [1, 2], 3: 4}')).toMatchObject({ pointer: '', offset: 14, reason: 'syntax' });
    expect(() => parseStrictJson('{"a":1,"a":2}')).toThrow(
      'Invalid JSON at line 1, column 8: the key "a" stands twice.',
    );
  });

  it.each(['__proto__', 'constructor', 'prototype', '\\u005f_proto__'])('refuses the dangerous key %s', key => {
    expect(refusal(`{"a":{"${key}":{}}}`)).toMatchObject({ reason: 'dangerousKey' });
  });

  it('reads keys that are only names of inherited members', () => {
    expect(parseStrictJson('{"toString":1,"hasOwnProperty":2}')).toEqual({ toString: 1, hasOwnProperty: 2 });
  });

  it.each([
    ['9007199254740992', 'integerTooLarge'],
    ['-9007199254740993', 'integerTooLarge'],
    ['9007199254740993.0', 'integerTooLarge'],
    ['1e16', 'integerTooLarge'],
    ['1e999', 'numberTooLarge'],
    ['-1e999', 'numberTooLarge'],
    ['1e-400', 'numberTooSmall'],
    ['-0.0001e-330', 'numberTooSmall'],
  ])('refuses the number %s that a double cannot hold: %s', (numeral, reason) => {
    expect(refusal(`{"n":[${numeral}]}`)).toMatchObject({ reason, pointer: '/n/0', offset: 6 });
  });

  it('says how a large integer can be sent', () => {
    expect.assertions(1);
    try {
      parseStrictJson('12345678901234567890');
    } catch (error) {
      expect(isSignalboxError(error) && error.hint).toMatch('format: int64');
    }
  });

  it('reads numbers up to the last exact integer, fractions, and zeros of every spelling as 0', () => {
    expect(parseStrictJson('[9007199254740991,-9007199254740991,0.1,1E2,1e+2,5e-1,4.35]')).toEqual([
      9007199254740991, -9007199254740991, 0.1, 100, 100, 0.5, 4.35,
    ]);
    expect(parseStrictJson('{"a":[0,-0,0.0,-0.0e5,0e-999]}')).toStrictEqual({ a: [0, 0, 0, 0, 0] });
  });

  it.each(['01', '-', '+1', '.5', '1.', '1e', '1e+', '0x1', 'NaN', 'Infinity', '-Infinity', '--1'])(
    'refuses the numeral %s',
    text => {
      expect(refusal(text)).not.toHaveProperty('accepted');
    },
  );

  it('C26 refuses NUL and lone surrogates, raw or escaped, in texts and keys', () => {
    expect(refusal('{"v":"a\\u0000b"}')).toMatchObject({ reason: 'nul', pointer: '/v', offset: 7 });
    expect(refusal('{"v":"a\0b"}')).toMatchObject({ reason: 'nul', pointer: '/v', offset: 7 });
    expect(refusal('\0')).toMatchObject({ reason: 'nul' });
    for (const half of [
      '\\ud83d',
      '\\ude00',
      '\\ude00\\ud83d',
      '\\ud83d\\ud83d',
      '\\ud83dx',
      '\ud83d',
      '\ude00',
      '\ud83d\\ude00',
      '\\ud83d\ude00',
    ]) {
      expect(refusal(`{"v":["${half}"]}`)).toMatchObject({ reason: 'loneSurrogate', pointer: '/v/0', offset: 7 });
      expect(refusal(`{"a":{"${half}":1}}`)).toMatchObject({ reason: 'loneSurrogate', pointer: '/a' });
    }
  });

  it('C26 keeps pairs, the six-character text and control characters as they are', () => {
    const values = ['😀', '\\u0000', '審批\n\t\u0001', '\ufffd'];
    expect(parseStrictJson(JSON.stringify(values))).toEqual(values);
    expect(parseStrictJson('["\\ud83d\\ude00","\\uD83D\\uDE00","😀"]')).toEqual(['😀', '😀', '😀']);
  });

  it('C14 refuses a payload cut at any place', () => {
    const text = '{"plan":{"steps":["x","y\\n😀"],"n":-1.5e3,"t":true}}';
    for (let end = 0; end < text.length; end++) expect(refusal(text.slice(0, end))).not.toHaveProperty('accepted');
    expect(refusal(text)).toHaveProperty('accepted');
  });

  it.each([
    ['', 'syntax'],
    ['  ', 'syntax'],
    ['{"a":1}}', 'trailing'],
    ['1 2', 'trailing'],
    ['"a" // no', 'trailing'],
    ['[1,]', 'syntax'],
    ['{"a":1,}', 'syntax'],
    ["{'a':1}", 'syntax'],
    ['{a:1}', 'syntax'],
    ['[1 2]', 'syntax'],
    ['"a\nb"', 'syntax'],
    ['"\\x41"', 'syntax'],
    ['"\\u12g4"', 'syntax'],
    ['"abc', 'syntax'],
    ['tru', 'syntax'],
    ['nullx', 'trailing'],
    ['\ufeff{}', 'syntax'],
    ['\u00a01', 'syntax'],
    ['undefined', 'syntax'],
  ])('refuses %j as %s', (text, reason) => {
    expect(refusal(text)).toMatchObject({ reason });
  });

  it('counts depth in arrays and objects and stops at the limit, 64 unless told', () => {
    const nested = (depth: number) => ['[{"a":'.repeat(depth / 2), '}]'.repeat(depth / 2)].join('1');
    expect(refusal(nested(64))).toHaveProperty('accepted');
    expect(refusal(nested(66))).toMatchObject({ reason: 'tooDeep', pointer: '/0/a'.repeat(32) });
    expect(refusal('[[1]]', { maxDepth: 2 })).toHaveProperty('accepted');
    expect(refusal('[[[1]]]', { maxDepth: 2 })).toMatchObject({ reason: 'tooDeep', pointer: '/0/0', offset: 2 });
    expect(refusal('[]', { maxDepth: 0 })).toMatchObject({ reason: 'tooDeep' });
    expect(refusal('['.repeat(1_000_000))).toMatchObject({ reason: 'tooDeep' });
    expect(refusal('['.repeat(1_000_000), { maxDepth: 1e9 })).toMatchObject({ reason: 'tooDeep' });
  });

  it('counts size in UTF-8', () => {
    expect(refusal('"審é😀"', { maxBytes: 11 })).toHaveProperty('accepted');
    expect(refusal('"審é😀"', { maxBytes: 10 })).toMatchObject({ reason: 'tooLarge', pointer: '' });
    expect(refusal(`"${'a'.repeat(8 * 1024 * 1024 - 2)}"`)).toHaveProperty('accepted');
    expect(refusal(`"${'a'.repeat(8 * 1024 * 1024 - 1)}"`)).toMatchObject({ reason: 'tooLarge' });
  });

  it('cuts a long key short in its message, between characters', () => {
    const key = '😀'.repeat(1_000);
    expect(() => parseStrictJson(`{"${key}":1,"${key}":2}`)).toThrow(`the key "${'😀'.repeat(40)}…" stands twice.`);
  });
});
