import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json/value.ts';
import { checkJsonSchema } from './check-json-schema.ts';

function faultsOf(schema: JsonObject, pointer = ''): string[] {
  return checkJsonSchema(schema, pointer).map(fault => `${fault.severity} ${fault.code} ${fault.pointer}`);
}

describe('checkJsonSchema', () => {
  it('C33: names every problem of a broken schema, at its place', () => {
    const schema: JsonObject = {
      type: 'object',
      required: 'name',
      properties: {
        name: { type: 'sting' },
        color: { enum: [] },
        code: { type: 'string', pattern: '(?=a)b', maxLength: -1 },
        list: { type: 'array', items: { $ref: '#/$defs/nowhere' } },
        step: { multipleOf: 0 },
      },
    };
    expect(faultsOf(schema, '/input')).toEqual([
      'error InvalidSchema /input/required',
      'error InvalidSchema /input/properties/name/type',
      'error NoOptions /input/properties/color/enum',
      'error InvalidPattern /input/properties/code/pattern',
      'error InvalidSchema /input/properties/code/maxLength',
      'error InvalidSchema /input/properties/list/items/$ref',
      'error InvalidSchema /input/properties/step/multipleOf',
    ]);
    const [, type] = checkJsonSchema(schema, '');
    expect(type).toMatchObject({ message: 'There is no type "sting".', hint: 'Did you mean `string`?' });
  });

  it('C33: refuses a default outside its own bounds', () => {
    const schema: JsonObject = {
      properties: {
        level: { type: 'number', minimum: 0, maximum: 10, default: 11 },
        deep: { type: 'object', properties: { a: { type: 'string' } }, default: { a: 1 } },
        fine: { type: 'boolean', default: false },
      },
    };
    expect(faultsOf(schema)).toEqual([
      'error DefaultOutOfBounds /properties/level/default',
      'error DefaultOutOfBounds /properties/deep/default/a',
    ]);
    expect(checkJsonSchema(schema, '')[0]!.message).toBe(
      'The default is outside its own bounds: it must be at most 10.',
    );
  });

  it('checks a default through the references of its schema', () => {
    const schema = (value: number): JsonObject => ({
      properties: { 'a/b %': { $ref: '#/$defs/small', default: value } },
      $defs: { small: { type: 'number', maximum: 3 } },
    });
    expect(faultsOf(schema(3))).toEqual([]);
    expect(faultsOf(schema(4))).toEqual(['error DefaultOutOfBounds /properties/a~1b %/default']);
  });

  it('checks a default in a schema that is nothing but a reference', () => {
    const schema = (value: number): JsonObject => ({
      $ref: '#/$defs/small',
      $defs: { small: { type: 'number', maximum: 3, default: value } },
    });
    expect(faultsOf(schema(3))).toEqual([]);
    expect(faultsOf(schema(4))).toEqual(['error DefaultOutOfBounds /$defs/small/default']);
  });

  it('refuses keys that would reach a prototype, wherever they stand', () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"}},"default":{"constructor":1}}');
    expect(faultsOf(schema)).toEqual([
      'error DangerousKey /properties/__proto__',
      'error DangerousKey /default/constructor',
    ]);
  });

  it('refuses keywords that mean nothing without others beside them, at their place and with what to do', () => {
    const schema: JsonObject = {
      properties: {
        note: { nullable: true },
        none: { type: ['null', 'string'], nullable: false },
        from: { type: 'string', formatMinimum: '2026-01-01' },
        id: { type: 'string', format: 'uuid', formatMaximum: 'a' },
        old: { id: 'https://example.com/old' },
        until: { type: 'string', nullable: true, format: 'date', formatMinimum: '2026-01-01' },
      },
    };
    expect(faultsOf(schema)).toEqual([
      'error InvalidSchema /properties/note/nullable',
      'error InvalidSchema /properties/none/nullable',
      'error InvalidSchema /properties/from/formatMinimum',
      'error InvalidSchema /properties/id/formatMaximum',
      'error InvalidSchema /properties/old/id',
    ]);
    for (const fault of checkJsonSchema(schema, '')) expect(fault.hint).toBeTypeOf('string');
  });

  it('refuses a schema that leads back to itself without going into the value', () => {
    expect(faultsOf({ $ref: '#' })).toEqual(['error InvalidSchema /$ref']);
    expect(
      faultsOf({ anyOf: [{ type: 'null' }, { $ref: '#/$defs/a' }], $defs: { a: { allOf: [{ $ref: '#' }] } } }),
    ).toEqual(['error InvalidSchema /$defs/a/allOf/0/$ref']);
    expect(faultsOf({ properties: { next: { $ref: '#' } }, additionalProperties: { $ref: '#' } })).toEqual([]);
  });

  it('refuses anchors that are no names, or stand at two places', () => {
    const $defs: JsonObject = { a: { $anchor: 'x' }, b: { $dynamicAnchor: 'x' }, c: { $anchor: '1' } };
    expect(faultsOf({ $defs })).toEqual([
      'error InvalidSchema /$defs/c/$anchor',
      'error InvalidSchema /$defs/b/$dynamicAnchor',
    ]);
  });

  it('looks into the dependencies of older schemas', () => {
    expect(faultsOf({ dependencies: { a: ['b'], b: { type: 'sting' } } })).toEqual([
      'error InvalidSchema /dependencies/b/type',
    ]);
    expect(faultsOf({ dependencies: ['a'] })).toEqual(['error InvalidSchema /dependencies']);
  });

  it('refuses an asynchronous schema', () => {
    expect(faultsOf({ $async: true, type: 'object' })).toEqual(['error AsyncSchema /$async']);
  });

  it('warns of keywords and formats that check nothing', () => {
    const schema: JsonObject = { type: 'number', minimun: 3, reducer: 'sum', 'x-minimum': 1 };
    expect(faultsOf(schema)).toEqual(['warning UnknownKeyword /minimun']);
    expect(faultsOf({ type: 'string', format: 'datetime' })).toEqual(['warning UnknownFormat /format']);
  });

  it('finds references by pointer, by anchor and by name', () => {
    expect(faultsOf({ $ref: '#here', $defs: { a: { $anchor: 'here' } } })).toEqual([]);
    expect(faultsOf({ $ref: '#there', $defs: { a: { $anchor: 'here' } } })).toEqual(['error InvalidSchema /$ref']);
    expect(
      faultsOf({ $id: 'urn:test:a', $ref: 'urn:test:b', $defs: { b: { $id: 'urn:test:b', type: 'null' } } }),
    ).toEqual([]);
    expect(faultsOf({ $id: 'urn:test:a', $ref: 'urn:test:c' })).toEqual(['error InvalidSchema ']);
    expect(faultsOf({ $ref: 'https://example.com/schema.json' })).toEqual(['error InvalidSchema /$ref']);
  });

  it('agrees with the meta-schema of JSON Schema 2020-12 on what is a schema', () => {
    const ajv = new Ajv2020({ strict: false, logger: false });
    const value = fc.constantFrom<unknown>(
      -1,
      0,
      1.5,
      2,
      '',
      'a',
      'string',
      true,
      null,
      [],
      ['a'],
      ['a', 'a'],
      [{}],
      {},
    );
    const keyword = fc.constantFrom(
      ...['type', 'required', 'properties', 'items', 'prefixItems', 'allOf', 'not', 'minLength', 'maximum'],
      ...['multipleOf', 'uniqueItems', 'additionalProperties', 'title', 'examples', 'dependentRequired', 'const'],
    );
    const leaf = fc.dictionary(keyword, value, { maxKeys: 3 });
    const nested = fc.record({ properties: fc.dictionary(fc.constantFrom('a', 'b'), leaf), allOf: fc.tuple(leaf) });
    fc.assert(
      fc.property(fc.oneof(leaf, nested), schema => {
        const errors = checkJsonSchema(schema as JsonObject, '').filter(fault => fault.severity === 'error');
        expect(errors.length === 0).toBe(ajv.validateSchema(schema));
      }),
      { numRuns: 500 },
    );
  });
});
