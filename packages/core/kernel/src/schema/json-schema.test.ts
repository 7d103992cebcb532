import { describe, expect, it } from 'vitest';
import { isSignalboxError } from '../error/error.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { compileJsonSchema } from './json-schema.ts';

function issuesOf(schema: JsonObject, value: JsonValue): string[] {
  const result = compileJsonSchema(schema).validate(value);
  return result.ok ? [] : result.issues.map(issue => `${issue.pointer} ${issue.code}: ${issue.message}`);
}

function accepts(schema: JsonObject, value: JsonValue): boolean {
  return compileJsonSchema(schema).validate(value).ok;
}

describe('compileJsonSchema', () => {
  it('gives all issues at once, each at its own place and with its bound', () => {
    const schema: JsonObject = {
      type: 'object',
      required: ['order', 'qty'],
      additionalProperties: false,
      properties: {
        order: { type: 'string' },
        qty: { type: 'integer', minimum: 1, maximum: 9 },
        min_total: { type: 'number' },
      },
    };
    expect(issuesOf(schema, { qty: 0, mintotal: 500 })).toEqual([
      '/order required: is required',
      '/mintotal unknownKey: is not a known key; did you mean `min_total`?',
      '/qty minimum: must be at least 1',
    ]);
    expect(issuesOf(schema, { order: 7, qty: 2.5 })).toEqual([
      '/order type: must be a text, not a number',
      '/qty type: must be a whole number',
    ]);
  });

  it('C05: takes false, 0, an empty text and an empty list for values', () => {
    const schema: JsonObject = {
      type: 'object',
      required: ['a', 'b', 'c', 'd'],
      properties: {
        a: { type: 'boolean', default: true },
        b: { type: 'number', default: 10 },
        c: { type: 'string', default: 'n/a' },
        d: { type: 'array', default: ['x'] },
      },
    };
    const given = { a: false, b: 0, c: '', d: [] };
    expect(compileJsonSchema(schema).validate(given)).toEqual({ ok: true, value: given });
    expect(issuesOf(schema, { ...given, a: null })).toEqual(['/a type: must be true or false, not null']);
  });

  it('puts defaults into a copy and leaves the argument as it was', () => {
    const validator = compileJsonSchema({
      type: 'object',
      properties: { deep: { type: 'object', properties: { tags: { type: 'array', default: [] } } } },
    });
    const given = { deep: {} };
    const first = validator.validate(given);
    expect(first).toEqual({ ok: true, value: { deep: { tags: [] } } });
    expect(given).toEqual({ deep: {} });
    const second = validator.validate(given);
    expect(first.ok && second.ok && first.value !== second.value).toBe(true);
  });

  it('C17: compares multiples in decimal', () => {
    const schema: JsonObject = { properties: { price: { type: 'number', multipleOf: 0.01 } } };
    for (const price of [4.35, 16.08, 0.57, 2.3, 1.17, 0, 100000.01]) {
      expect(compileJsonSchema(schema).validate({ price })).toEqual({ ok: true, value: { price } });
    }
    for (const price of [4.351, 16.085]) {
      expect(issuesOf(schema, { price })).toEqual(['/price multipleOf: must be a multiple of 0.01']);
    }
  });

  it('C18: refuses days and times that the calendar does not have', () => {
    const schema: JsonObject = {
      properties: { day: { type: 'string', format: 'date' }, at: { type: 'string', format: 'date-time' } },
    };
    for (const day of ['2024-02-29', '2000-02-29', '2026-12-31']) expect(issuesOf(schema, { day })).toEqual([]);
    const impossible = [
      '2026-02-30',
      '2025-02-29',
      '2100-02-29',
      '2026-04-31',
      '2026-13-01',
      '2026-00-10',
      '2026-06-99',
    ];
    for (const day of impossible) {
      expect(issuesOf(schema, { day })).toEqual(['/day format: must be a date of the calendar, such as 2026-03-04']);
    }
    expect(accepts(schema, { at: '2026-03-01T23:59:59+08:00' })).toBe(true);
    for (const at of ['2026-13-13T17:45:07Z', '2026-03-01T25:00:00Z', '2026-03-01T10:00:00']) {
      expect(accepts(schema, { at })).toBe(false);
    }
  });

  it('C19: names an unknown key, and lets allowed extra keys through', () => {
    const facts: JsonObject = { type: 'object', additionalProperties: { type: 'integer' } };
    expect(compileJsonSchema(facts).validate({ a: 1, 乙: 2 })).toEqual({ ok: true, value: { a: 1, 乙: 2 } });
    expect(issuesOf(facts, { a: 'one' })).toEqual(['/a type: must be a whole number, not a text']);
    const open: JsonObject = { type: 'object', properties: { a: { type: 'string' } } };
    expect(compileJsonSchema(open).validate({ a: 'x', b: 1 })).toEqual({ ok: true, value: { a: 'x', b: 1 } });
  });

  it('C20: keeps null and the type of enumeration members', () => {
    const schema: JsonObject = {
      properties: {
        priority: { enum: ['low', 'high', null] },
        level: { enum: [1, 2, 3] },
        colors: { type: 'array', items: { enum: ['red', 'green'] } },
      },
    };
    expect(issuesOf(schema, { priority: null, level: 2, colors: ['red'] })).toEqual([]);
    expect(issuesOf(schema, { priority: 'hi', level: '2', colors: ['blue'] })).toEqual([
      '/priority enum: must be one of "low", "high", null',
      '/level enum: must be one of 1, 2, 3',
      '/colors/0 enum: must be one of "red", "green"',
    ]);
  });

  it('C21: counts code points', () => {
    const schema: JsonObject = {
      properties: { tag: { type: 'string', minLength: 1, maxLength: 3 }, pin: { type: 'string', minLength: 5 } },
    };
    for (const tag of ['abc', '審批單', '😀😀😀']) expect(accepts(schema, { tag })).toBe(true);
    for (const tag of ['😀😀😀😀', '']) expect(accepts(schema, { tag })).toBe(false);
    expect(issuesOf(schema, { pin: '😀😀😀' })).toEqual(['/pin minLength: must have at least 5 characters']);
    expect(accepts(schema, { pin: '12345' })).toBe(true);
  });

  it('runs each pattern by itself, in linear time, with code points', () => {
    const schema: JsonObject = {
      properties: {
        id: { type: 'string', pattern: '^cand_[a-z0-9]{8}$' },
        hostile: { type: 'string', pattern: '^(a+)+$' },
        one: { type: 'string', pattern: '^.$' },
      },
      patternProperties: { '^n_': { type: 'number' } },
    };
    expect(accepts(schema, { id: 'cand_ab12cd34', hostile: 'aaa', one: '😀', n_1: 1 })).toBe(true);
    expect(accepts(schema, { id: 'cand_ab12cd34\n' })).toBe(false);
    expect(issuesOf(schema, { hostile: `${'a'.repeat(5000)}!` })).toEqual([
      '/hostile pattern: must match the pattern ^(a+)+$',
    ]);
    expect(issuesOf(schema, { n_1: 'x' })).toEqual(['/n_1 type: must be a number, not a text']);
  });

  it('keeps integers of 64 bits as text', () => {
    const schema: JsonObject = { type: 'string', format: 'int64' };
    for (const id of ['0', '-1', '9223372036854775807', '-9223372036854775808']) expect(accepts(schema, id)).toBe(true);
    for (const id of ['9223372036854775808', '007', '-0', '1.5', '']) expect(accepts(schema, id)).toBe(false);
  });

  it('bounds dates and instants by formatMinimum and formatMaximum', () => {
    const day: JsonObject = {
      type: 'string',
      format: 'date',
      formatMinimum: '2026-01-01',
      formatMaximum: '2026-12-31',
    };
    expect(accepts(day, '2026-01-01')).toBe(true);
    expect(issuesOf(day, '2025-12-31')).toEqual([' minimum: must be at least 2026-01-01']);
    const at: JsonObject = { type: 'string', format: 'date-time', formatMaximum: '2026-01-01T00:00:00Z' };
    expect(accepts(at, '2026-01-01T07:59:59+08:00')).toBe(true);
    expect(accepts(at, '2025-12-31T23:00:00-08:00')).toBe(false);
    expect(accepts(at, 'never')).toBe(false);
  });

  it('counts only own keys as present', () => {
    expect(issuesOf({ type: 'object', required: ['toString'] }, {})).toEqual(['/toString required: is required']);
  });

  it('tells schemas of the same $id apart, and resolves references inside each', () => {
    const one: JsonObject = { $id: 'urn:test:x', $ref: '#/$defs/v', $defs: { v: { type: 'string' } } };
    const two: JsonObject = { $id: 'urn:test:x', $ref: '#/$defs/v', $defs: { v: { type: 'number' } } };
    expect([accepts(one, 'a'), accepts(one, 1), accepts(two, 1), accepts(two, 'a')]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('keeps apart what schemas name alike within themselves', () => {
    const of = (type: string): JsonObject => ({
      properties: { x: { $id: 'urn:test:inner', type } },
      additionalProperties: { $ref: 'urn:test:inner' },
    });
    expect([accepts(of('string'), { y: 'a' }), accepts(of('number'), { y: 1 })]).toEqual([true, true]);
  });

  it('follows what was evaluated through alternatives that do not hold', () => {
    const schema: JsonObject = {
      anyOf: [{ required: ['a'], properties: { a: true } }, { minProperties: 1 }],
      patternProperties: { '^x': { type: 'number' } },
    };
    expect([accepts(schema, { x: 1 }), accepts(schema, { x: 'a' })]).toEqual([true, false]);
    const closed: JsonObject = { ...schema, unevaluatedProperties: false };
    expect([accepts(closed, { x: 1 }), accepts(closed, { a: 1, x: 1 }), accepts(closed, { x: 1, b: 1 })]).toEqual([
      ...[true, true, false],
    ]);
    const otherwise: JsonObject = {
      if: { required: ['a'] },
      else: { properties: { b: true }, unevaluatedProperties: false },
    };
    expect([accepts(otherwise, { b: 1 }), accepts(otherwise, { c: 1 }), accepts(otherwise, { a: 1, c: 1 })]).toEqual([
      ...[true, false, true],
    ]);
  });

  it('reads a schema of an older dialect as 2020-12', () => {
    const schema: JsonObject = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'string' };
    expect(accepts(schema, 'a')).toBe(true);
  });

  it('refuses a value that takes too many steps, since each of its levels doubles them', () => {
    const alternative = (key: string): JsonObject => ({ required: [key], properties: { next: { $ref: '#' } } });
    const schema: JsonObject = { anyOf: [alternative('a'), alternative('b')] };
    const nested = (levels: number): JsonValue => (levels === 0 ? {} : { a: 1, b: 1, next: nested(levels - 1) });
    expect(issuesOf(schema, nested(1))).toContain('/next/a required: is required');
    expect(issuesOf(schema, nested(60))).toEqual([
      ' tooManySteps: takes more than 250000 steps to be checked: its schema refers to itself from several alternatives',
    ]);
    expect(issuesOf(schema, nested(1))).toContain('/next/a required: is required');
  });

  it('takes a long list of what a reference leads to', () => {
    const schema: JsonObject = {
      items: { $ref: '#/$defs/n' },
      $defs: { n: { anyOf: [{ $ref: '#/$defs/m' }] }, m: {} },
    };
    expect(
      accepts(
        schema,
        Array.from({ length: 260_000 }, () => 1),
      ),
    ).toBe(true);
  });

  it('never coerces', () => {
    expect(accepts({ type: 'boolean' }, 'false')).toBe(false);
    expect(accepts({ type: 'number' }, '5')).toBe(false);
    expect(accepts({ type: 'string' }, 47)).toBe(false);
  });

  it('refuses a schema that is none', () => {
    try {
      compileJsonSchema({ type: 'objct' });
      expect.unreachable();
    } catch (error) {
      expect(isSignalboxError(error) && error.code).toBe('InvalidSchema');
      expect(isSignalboxError(error) && error.details.faults).toEqual([
        { code: 'InvalidSchema', pointer: '/type', message: 'There is no type "objct".' },
      ]);
    }
  });
});
