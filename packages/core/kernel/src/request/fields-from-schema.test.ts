import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../json/value.ts';
import { fromStandardSchema } from '../schema/standard-schema.ts';
import { fieldsFromSchema } from './fields-from-schema.ts';

function read(schema: z.ZodType | JsonObject) {
  return fieldsFromSchema('~standard' in schema ? fromStandardSchema(schema as z.ZodType).json : schema);
}

function faultsOf(schema: z.ZodType | JsonObject): string[] {
  return read(schema).faults.map(fault => `${fault.code} ${fault.pointer}`);
}

describe('fieldsFromSchema', () => {
  it('asks for every supported kind of property, in its order', () => {
    const { fields, faults } = read(
      z.object({
        amount: z.number().min(0).max(500),
        note: z.string().default(''),
        qty: z.int().min(1).max(9),
        kind: z.enum(['refund', 'faq']).meta({ title: 'Kind', description: 'What it is about' }),
        urgent: z.boolean().optional(),
        day: z.iso.date(),
        at: z.iso.datetime({ offset: true }).optional(),
        tags: z
          .array(z.enum(['a', 'b']))
          .min(1)
          .max(2),
        id: z
          .string()
          .regex(/^cand_[a-z0-9]{8}$/)
          .max(20),
        level: z.literal([1, 2]).nullable().optional(),
      }),
    );
    expect(faults).toEqual([]);
    const options = (...values: (string | number)[]) => values.map(value => ({ value, label: String(value) }));
    expect(fields).toEqual([
      { name: 'amount', type: 'number', label: 'amount', required: true, min: 0, max: 500 },
      { name: 'note', type: 'text', label: 'note', required: false, default: '' },
      { name: 'qty', type: 'number', label: 'qty', required: true, min: 1, max: 9, step: 1 },
      {
        name: 'kind',
        type: 'select',
        label: 'Kind',
        description: 'What it is about',
        required: true,
        options: options('refund', 'faq'),
      },
      { name: 'urgent', type: 'boolean', label: 'urgent', required: false },
      { name: 'day', type: 'date', label: 'day', required: true },
      { name: 'at', type: 'datetime', label: 'at', required: false },
      { name: 'tags', type: 'multiselect', label: 'tags', required: true, options: options('a', 'b'), min: 1, max: 2 },
      { name: 'id', type: 'text', label: 'id', required: true, max: 20, pattern: '^cand_[a-z0-9]{8}$' },
      { name: 'level', type: 'select', label: 'level', required: false, options: options(1, 2) },
    ]);
  });

  it('reads integers as numbers of step 1, with whole bounds', () => {
    const { fields } = read({
      type: 'object',
      properties: {
        a: { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 },
        b: { type: 'integer', multipleOf: 5 },
        c: { type: 'number', multipleOf: 0.05 },
      },
    });
    expect(fields).toMatchObject([{ min: 1, max: 9, step: 1 }, { step: 5 }, { step: 0.05 }]);
  });

  it('reads choices with titles, and follows references', () => {
    const { fields, faults } = read({
      type: 'object',
      properties: { color: { $ref: '#/$defs/color' }, colors: { type: 'array', items: { $ref: '#/$defs/color' } } },
      $defs: { color: { oneOf: [{ const: 'r', title: 'Red' }, { const: 'g' }] } },
    });
    const options = [
      { value: 'r', label: 'Red' },
      { value: 'g', label: 'g' },
    ];
    expect(faults).toEqual([]);
    expect(fields).toMatchObject([
      { type: 'select', options },
      { type: 'multiselect', options },
    ]);
  });

  it('names what no field can ask for, at its place in the schema', () => {
    const schema: JsonObject = {
      type: 'object',
      required: ['nothing', 'maybe'],
      additionalProperties: true,
      minProperties: 1,
      properties: {
        deep: { type: 'object', properties: {} },
        list: { type: 'array', items: { type: 'string' } },
        either: { type: ['string', 'number'] },
        mail: { type: 'string', format: 'email' },
        open: { type: 'number', exclusiveMinimum: 0 },
        maybe: { type: ['string', 'null'] },
        odd: { type: 'string', contentEncoding: 'base64' },
        many: { type: 'array', items: { enum: ['a'], not: { const: 'a' } } },
      },
    };
    expect(faultsOf(schema)).toEqual([
      'UnsupportedInForm /minProperties',
      'UnsupportedInForm /additionalProperties',
      'UnsupportedInForm /required/0',
      'UnsupportedInForm /properties/deep',
      'UnsupportedInForm /properties/list',
      'UnsupportedInForm /properties/either',
      'UnsupportedInForm /properties/mail/format',
      'UnsupportedInForm /properties/open/exclusiveMinimum',
      'UnsupportedInForm /properties/maybe',
      'UnsupportedInForm /properties/odd/contentEncoding',
      'UnsupportedInForm /properties/many/items/not',
    ]);
    expect(faultsOf({ type: 'string' })).toEqual(['UnsupportedInForm ']);
  });

  it('has the faults of the fields at the properties they came from', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: {
        'two words': { type: 'string' },
        level: { type: 'number', maximum: 10, default: 11 },
        c: { enum: [] },
      },
    };
    expect(faultsOf(schema)).toEqual([
      'InvalidName /properties/two words',
      'DefaultOutOfBounds /properties/level',
      'NoOptions /properties/c',
    ]);
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`f${i}`, { type: 'string' }]));
    expect(faultsOf({ type: 'object', properties: many })).toEqual(['TooManyFields /properties']);
  });
});
