import type { StandardSchemaV1 } from '@standard-schema/spec';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isSignalboxError } from '../error/error.ts';
import type { JsonValue } from '../json/value.ts';
import { fromStandardSchema } from './standard-schema.ts';

function codeOf(act: () => unknown): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return isSignalboxError(error) ? error.code : 'other';
  }
}

function issuesOf(schema: StandardSchemaV1, value: JsonValue): string[] {
  const result = fromStandardSchema(schema).validate(value);
  return result.ok ? [] : result.issues.map(issue => `${issue.pointer} ${issue.code}`);
}

describe('fromStandardSchema', () => {
  it('stores what came out: defaults and transforms take effect', () => {
    const validator = fromStandardSchema(
      z.object({ n: z.string().transform(Number), note: z.string().default('n/a') }),
    );
    const given = { n: '12' };
    expect(validator.validate(given)).toEqual({ ok: true, value: { n: 12, note: 'n/a' } });
    expect(given).toEqual({ n: '12' });
  });

  it('says what goes in and what comes out in JSON Schema', () => {
    const { json, stored } = fromStandardSchema(
      z.object({ n: z.string().transform(Number).pipe(z.number()), note: z.string().default('') }),
    );
    expect(json).toMatchObject({ required: ['n'], properties: { n: { type: 'string' } } });
    expect(stored).toMatchObject({ required: ['n', 'note'], properties: { n: { type: 'number' } } });
    const hidden = fromStandardSchema(z.object({ a: z.string(), n: z.string().transform(Number) }));
    expect(hidden.stored).toMatchObject({ properties: { a: { type: 'string' }, n: {} } });
  });

  it('C19: makes an error of a key that the schema would drop unsaid', () => {
    const schema = z.object({ query: z.string(), min_total: z.number().optional(), deep: z.array(z.object({})) });
    const result = fromStandardSchema(schema).validate({ query: 'x', mintotal: 5, deep: [{ a: 1 }] });
    expect(result).toMatchObject({
      ok: false,
      issues: [
        { pointer: '/mintotal', code: 'unknownKey' },
        { pointer: '/deep/0/a', code: 'unknownKey' },
      ],
    });
    expect(issuesOf(z.looseObject({ query: z.string() }), { query: 'x', more: 1 })).toEqual([]);
    expect(
      issuesOf(
        z.object({ a: z.string() }).transform(given => given.a),
        { a: 'x', b: 1 },
      ),
    ).toEqual([]);
  });

  it('gives issues the codes of JSON Schema and the words of the library', () => {
    const schema = z.strictObject({
      qty: z.int().min(1, 'one at least, please'),
      name: z.string(),
      even: z.number().refine(n => n % 2 === 0, 'must be even'),
    });
    const result = fromStandardSchema(schema).validate({ qty: 0, even: 3, extra: true });
    expect(!result.ok && result.issues).toEqual([
      { pointer: '/qty', code: 'minimum', message: 'one at least, please', params: { limit: 1 } },
      { pointer: '/name', code: 'required', message: 'is required' },
      { pointer: '/even', code: 'invalid', message: 'must be even' },
      { pointer: '/extra', code: 'unknownKey', message: 'is not a known key' },
    ]);
  });

  it('C05, C21: presence by key, length by code points', () => {
    const schema = z.object({ ok: z.boolean().default(true), tag: z.string().max(3).default('x') });
    expect(fromStandardSchema(schema).validate({ ok: false, tag: '' })).toEqual({
      ok: true,
      value: { ok: false, tag: '' },
    });
    expect(issuesOf(schema, { ok: null })).toEqual(['/ok type']);
    expect(issuesOf(schema, { tag: '😀😀😀' })).toEqual([]);
    expect(issuesOf(schema, { tag: '😀😀😀😀' })).toEqual(['/tag maxLength']);
  });

  it('refuses an asynchronous schema, when it is defined or when it is met', () => {
    const whole: StandardSchemaV1 = {
      '~standard': { version: 1, vendor: 'slow', validate: () => Promise.reject(new Error('heard by nobody')) },
    };
    expect(codeOf(() => fromStandardSchema(whole))).toBe('AsyncSchema');
    const part = fromStandardSchema(z.object({ a: z.string().refine(async () => true) }));
    expect(codeOf(() => part.validate({ a: 'x' }))).toBe('AsyncSchema');
  });

  it('refuses what JSON Schema cannot say', () => {
    expect(codeOf(() => fromStandardSchema(z.object({ at: z.date() })))).toBe('SchemaWithoutJson');
    const plain: StandardSchemaV1 = { '~standard': { version: 1, vendor: 'plain', validate: value => ({ value }) } };
    expect(codeOf(() => fromStandardSchema(plain))).toBe('SchemaWithoutJson');
  });

  it('refuses output that is no JSON value, with its place', () => {
    const schema = z.object({ at: z.string().transform(text => new Date(text)) });
    expect(issuesOf(schema, { at: '2026-03-04' })).toEqual(['/at notJson']);
    const optional = z.object({
      a: z
        .string()
        .optional()
        .transform(() => undefined),
    });
    expect(fromStandardSchema(optional).validate({})).toEqual({ ok: true, value: {} });
  });

  it('still gives codes of its own where a pattern has no linear engine', () => {
    expect(issuesOf(z.object({ a: z.string().regex(/(?=x)x/) }), { a: 'y' })).toEqual(['/a invalid']);
  });
});
