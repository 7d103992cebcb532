import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { canonicalJson } from '../json/canonical.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { compileJsonSchema } from './json-schema.ts';
import { normalizedSchema } from './normalize.ts';
import { fromStandardSchema } from './standard-schema.ts';

const formOf = (schema: JsonObject): string => canonicalJson(normalizedSchema(schema));

describe('normalizedSchema', () => {
  const pairs: [string, z.ZodType, JsonObject][] = [
    [
      'an object',
      z.object({ message: z.string() }),
      { type: 'object', required: ['message'], properties: { message: { type: 'string' } } },
    ],
    [
      'no required key',
      z.object({ a: z.string().optional() }),
      { type: 'object', properties: { a: { type: 'string' } } },
    ],
    [
      'the order of required keys',
      z.object({ b: z.string(), a: z.boolean() }),
      { type: 'object', required: ['a', 'b'], properties: { a: { type: 'boolean' }, b: { type: 'string' } } },
    ],
    ['a strict object', z.strictObject({}), { type: 'object', additionalProperties: false }],
    ['an open object', z.looseObject({}), { type: 'object' }],
    ['an integer', z.int(), { type: 'integer' }],
    ['a bounded integer', z.int().min(1).max(9), { type: 'integer', minimum: 1, maximum: 9 }],
    ['an enumeration', z.enum(['faq', 'refund']), { enum: ['faq', 'refund'] }],
    ['a union of literals', z.union([z.literal('a'), z.literal('b')]), { type: 'string', enum: ['a', 'b'] }],
    ['a literal', z.literal('x'), { enum: ['x'] }],
    ['a nullable text', z.string().min(1).nullable(), { type: ['string', 'null'], minLength: 1 }],
    ['a nullable enumeration', z.enum(['low', 'high']).nullable(), { enum: ['low', 'high', null] }],
    ['a nullable integer', z.int().nullable(), { type: ['integer', 'null'], minimum: Number.MIN_SAFE_INTEGER }],
    ['a union of types', z.union([z.string(), z.number()]), { anyOf: [{ type: 'number' }, { type: 'string' }] }],
    ['a record', z.record(z.string(), z.int()), { type: 'object', additionalProperties: { type: 'integer' } }],
    ['annotations', z.string().meta({ title: 'T', description: 'D', examples: ['a'] }), { type: 'string' }],
    ['a default', z.number().default(3), { type: 'number', default: 3 }],
    ['anything', z.any(), {}],
  ];

  for (const [what, library, written] of pairs) {
    it(`gives one form to ${what}, by a library or by hand`, () => {
      expect(formOf(fromStandardSchema(library).json)).toBe(formOf(written));
    });
  }

  it('keeps apart what means different things', () => {
    const schemas: JsonObject[] = [
      { type: 'object' },
      { type: 'object', additionalProperties: false },
      { type: 'object', required: ['a'] },
      { type: 'string' },
      { type: 'string', default: 'a' },
      { type: ['string', 'null'] },
      { type: 'integer' },
      { type: 'number' },
      { type: 'number', maximum: Number.MAX_SAFE_INTEGER },
      { enum: ['a', 'b'] },
      { enum: ['b', 'a'] },
      { type: 'array', reducer: 'append' },
      { type: 'array' },
      { const: 1, type: 'string' },
      { const: 1 },
    ];
    expect(new Set(schemas.map(formOf)).size).toBe(schemas.length);
  });

  it('takes a property for no annotation because of its name', () => {
    const schema: JsonObject = { properties: { title: { type: 'string', title: 'Title' } } };
    expect(normalizedSchema(schema)).toEqual({ properties: { title: { type: 'string' } } });
    expect(normalizedSchema({ const: { title: 'x' } })).toEqual({ const: { title: 'x' } });
  });

  it('accepts what the schema accepts, and is its own normal form', () => {
    const scalar = fc.constantFrom<JsonValue>('a', 'b', '', 1, 2.5, 0, null, true);
    const type = fc.constantFrom('string', 'number', 'integer', 'null', 'boolean', 'array', 'object');
    const leaf = fc.record(
      {
        type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
        enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }),
        minLength: fc.constantFrom(0, 1),
        minimum: fc.constantFrom(1, Number.MIN_SAFE_INTEGER),
        title: fc.constant('T'),
      },
      { requiredKeys: [] },
    );
    const choices = fc.array(fc.oneof(leaf, fc.record({ const: scalar }), fc.constant({ type: 'null' })), {
      minLength: 1,
      maxLength: 3,
    });
    const schema = fc.oneof(
      leaf,
      fc.record({ anyOf: choices }),
      fc.record({ oneOf: choices, type }),
      fc.record({ oneOf: choices }),
    );
    const values: JsonValue[] = ['a', 'b', 'c', '', 1, 2.5, 0, -1, null, true, false, [], {}];
    fc.assert(
      fc.property(schema, given => {
        const original = given as JsonObject;
        const normal = normalizedSchema(original);
        const verdicts = (one: JsonObject) => values.map(value => compileJsonSchema(one).validate(value).ok);
        expect(verdicts(normal)).toEqual(verdicts(original));
        expect(canonicalJson(normalizedSchema(normal))).toBe(canonicalJson(normal));
      }),
      { numRuns: 200 },
    );
  });
});
