import { compileJsonSchema, type JsonObject, type JsonValue } from '@signalbox/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isClosedSchema } from './closed-schema.ts';
import { projectSchema } from './schema-projection.ts';

function property(schema: JsonObject, more: JsonObject = {}, kind: Parameters<typeof projectSchema>[1] = 'ai-sdk') {
  const projected = projectSchema({ type: 'object', properties: { a: schema }, ...more }, kind);
  return (projected.properties as JsonObject).a;
}

describe('a projected schema', () => {
  it('keeps in words what it leaves out', () => {
    expect(property({ type: 'string', description: 'The order', pattern: '^R', minLength: 2 })).toEqual({
      type: 'string',
      description: 'The order (must match: ^R; at least this many characters: 2)',
    });
  });

  it('keeps what the provider takes', () => {
    const closed = { additionalProperties: false };
    expect(property({ type: 'integer', minimum: 1 }, {}, 'openai')).toEqual({ type: 'integer', minimum: 1 });
    expect(property({ type: 'integer', minimum: 1 })).toEqual({ type: 'integer', description: '(at least: 1)' });
    expect(projectSchema({ type: 'object', properties: {}, ...closed }, 'anthropic')).toMatchObject(closed);
    expect(projectSchema({ type: 'object', properties: {}, ...closed }, 'openai-compatible')).not.toMatchObject(closed);
  });

  it('is not closed where names that follow a pattern may stand beside those that are listed', () => {
    const schema = { type: 'object', properties: {}, patternProperties: { '^x-': {} }, additionalProperties: false };
    expect(projectSchema(schema, 'openai')).not.toHaveProperty('additionalProperties');
  });

  it('has references replaced, and those without an end by anything', () => {
    const $defs = {
      money: { type: 'object', properties: { amount: { type: 'string' } } },
      tree: { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/$defs/tree' } } } },
      'a/b': { type: 'boolean' },
    };
    expect(property({ $ref: '#/$defs/money', description: 'How much' }, { $defs })).toEqual({
      ...$defs.money,
      description: 'How much',
    });
    expect(property({ $ref: '#/$defs/tree' }, { $defs })).toEqual({
      type: 'object',
      properties: { children: { type: 'array', items: {} } },
    });
    expect(property({ $ref: '#/$defs/a~1b' }, { $defs })).toEqual({ type: 'boolean' });
    expect(property({ $ref: 'https://example.com/x' })).toEqual({});
    expect(property({ allOf: [{ $ref: '#' }, { $ref: '#' }] })).toBeDefined();
  });

  it('stays of bounded size where references multiply', () => {
    const level = (next: number) => ({ type: 'object', properties: { a: ref(next), b: ref(next) } });
    const ref = (next: number) => ({ $ref: `#/$defs/level${next}` });
    const $defs = Object.fromEntries(Array.from({ length: 40 }, (_, each) => [`level${each}`, level(each + 1)]));
    const projected = projectSchema({ type: 'object', properties: { a: ref(0) }, $defs }, 'openai');
    expect(JSON.stringify(projected).length).toBeLessThan(1_000_000);
  });

  it('says the same in fewer keywords', () => {
    expect(property({ const: 'x' })).toEqual({ enum: ['x'] });
    expect(property({ oneOf: [{ type: 'string' }, { type: 'null' }] })).toEqual({
      anyOf: [{ type: 'string' }, { type: 'null' }],
    });
    expect(property({ type: ['string', 'null'] })).toEqual({ anyOf: [{ type: 'string' }, { type: 'null' }] });
    expect(
      property({ allOf: [{ type: 'object', properties: { x: { type: 'string' } } }, { properties: { y: {} } }] }),
    ).toEqual({ type: 'object', properties: { x: { type: 'string' }, y: {} } });
  });

  it('is one object at the top, as tools have to be', () => {
    const choice: JsonObject = {
      anyOf: [
        { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
        { type: 'object', properties: { order: { type: 'integer' }, mail: { type: 'string' } } },
      ],
    };
    expect(projectSchema(choice, 'openai')).toEqual({
      type: 'object',
      properties: { order: { anyOf: [{ type: 'string' }, { type: 'integer' }] }, mail: { type: 'string' } },
    });
    expect(projectSchema({}, 'openai')).toEqual({ type: 'object', properties: {} });
  });

  it('takes every value that the schema takes', () => {
    fc.assert(
      fc.property(schemas, values, fc.constantFrom('openai', 'anthropic', 'ai-sdk'), (part, value, kind) => {
        const schema = { type: 'object', properties: { a: part } };
        if (!takes(schema, { a: value })) return;
        expect(takes(projectSchema(schema, kind), { a: value })).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a schema that OpenAI can be strict about', () => {
  const closed = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  };

  it.each([
    [true, closed],
    [true, { ...closed, properties: { a: { ...closed } } }],
    [false, { ...closed, required: [] }],
    [false, { ...closed, additionalProperties: true }],
    [false, { ...closed, properties: { a: { type: 'string', pattern: 'x' } } }],
    [false, { ...closed, properties: { a: { type: 'array', items: { type: 'object' } } } }],
    [false, { type: 'array', items: closed }],
  ])('closes and requires everything: %s for %j', (strict, schema) => {
    expect(isClosedSchema(schema)).toBe(strict);
  });
});

function takes(schema: JsonObject, value: JsonValue): boolean {
  return compileJsonSchema(schema).validate(value).ok;
}

const values: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>(tie => ({
  value: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    fc.constantFrom<JsonValue>(null, true, 0, 1, 2.5, '', 'x', 'xy'),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('x', 'y'), tie('value'), { maxKeys: 2 }),
  ),
})).value;

const types = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'object', 'array');

const schemas: fc.Arbitrary<JsonObject> = fc.letrec<{ schema: JsonObject }>(tie => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.record(
      {
        type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 })),
        minimum: fc.constantFrom(0, 2),
        minItems: fc.constantFrom(0, 1),
        maxLength: fc.constantFrom(1, 5),
      },
      { requiredKeys: [] },
    ),
    fc.record({ enum: fc.uniqueArray(fc.constantFrom<JsonValue>(null, 1, 'x', true), { minLength: 1 }) }),
    fc.record({ const: fc.constantFrom<JsonValue>(null, 0, 'x') }),
    fc.record(
      {
        type: fc.constantFrom<JsonValue>('object', ['object', 'null']),
        properties: fc.dictionary(fc.constantFrom('x', 'y'), tie('schema'), { maxKeys: 2 }),
        required: fc.subarray(['x', 'y']),
        additionalProperties: fc.boolean(),
      },
      { requiredKeys: ['properties'] },
    ),
    fc.record(
      {
        type: fc.constant('array'),
        items: tie('schema'),
        prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      },
      { requiredKeys: ['items'] },
    ),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    fc.record(
      { allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }), type: types },
      { requiredKeys: ['allOf'] },
    ),
    fc.record({ not: tie('schema') }),
  ),
})).schema as fc.Arbitrary<JsonObject>;
