import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json/value.ts';
import { ExprType } from './expr-type.ts';
import { typeOfSchema } from './schema-type.ts';

const { bool, double, dyn, int, list, map, null: nothing, object, string, union } = ExprType;

describe('the type of a schema', () => {
  const ROWS: readonly (readonly [name: string, schema: JsonObject | boolean | undefined, type: ExprType])[] = [
    ['nothing said', {}, dyn],
    ['no schema', undefined, dyn],
    ['true', true, dyn],
    ['scalars', { type: 'integer' }, int],
    ['numbers', { type: 'number' }, double],
    ['a list of types', { type: ['string', 'null'] }, union([string, nothing])],
    ['a list', { type: 'array', items: { type: 'boolean' } }, list(bool)],
    ['a tuple', { prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false }, list(union([string, int]))],
    ['a tuple with more after it', { type: 'array', prefixItems: [{ type: 'string' }] }, list(dyn)],
    ['an enum of texts', { enum: ['a', 'b'] }, { kind: 'string', values: ['a', 'b'] }],
    ['an enum of kinds', { enum: ['a', 1, null] }, union([{ kind: 'string', values: ['a'] }, int, nothing])],
    ['a constant', { const: 'a' }, { kind: 'string', values: ['a'] }],
    [
      'an object',
      { type: 'object', required: ['a'], properties: { a: { type: 'string' }, b: { type: 'integer' } } },
      object({ a: string, b: int }, { optional: ['b'] }),
    ],
    ['a default', { properties: { a: { type: 'integer', default: 0 } } }, object({ a: int })],
    [
      'an open object',
      { properties: { a: {} }, required: ['a'], additionalProperties: true },
      object({ a: dyn }, { open: true }),
    ],
    ['a closed object without properties', { type: 'object', additionalProperties: false }, object({})],
    ['an object of which nothing is said', { type: 'object' }, map(dyn)],
    ['a dictionary', { type: 'object', additionalProperties: { type: 'number' } }, map(double)],
    ['choices', { anyOf: [{ type: 'string' }, { type: 'number' }] }, union([string, double])],
    ['choices, one unknown', { oneOf: [{ type: 'string' }, {}] }, dyn],
    [
      'parts that all hold',
      {
        allOf: [{ properties: { a: { type: 'string' } } }, { properties: { b: { type: 'string' } }, required: ['b'] }],
      },
      object({ a: string, b: string }, { optional: ['a'] }),
    ],
    [
      'properties beside choices',
      {
        type: 'object',
        properties: { a: { type: 'string' } },
        required: ['a'],
        anyOf: [{ properties: { b: { type: 'integer' } }, required: ['b'] }],
      },
      object({ a: string, b: int }),
    ],
    ['a reference', { $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'string' } } }, string],
    ['a reference to nowhere', { $ref: '#/$defs/none' }, dyn],
    ['a reference out of the document', { $ref: 'https://example.com/schema' }, dyn],
  ];

  it.each(ROWS)('of %s', (_, schema, type) => {
    expect(typeOfSchema(schema)).toEqual(type);
  });

  it('follows a schema that holds itself as far as a reader would', () => {
    const tree = typeOfSchema({ properties: { name: { type: 'string' }, next: { $ref: '#' } } });
    expect(tree).toMatchObject({
      props: { next: { type: { props: { next: { type: { props: { name: { type: string } } } } } } } },
    });
  });

  it('ends on a reference to itself', () => {
    expect(typeOfSchema({ $ref: '#' })).toEqual(dyn);
  });

  it('reads a schema that branches into itself once per level', () => {
    const branch = { $ref: '#/$defs/node' };
    const type = typeOfSchema({ ...branch, $defs: { node: { properties: { left: branch, right: branch } } } });
    expect(type.kind === 'object' && type.props.left?.type).toMatchObject({ kind: 'object' });
    expect(type.kind === 'object' && type.props.left?.type === type.props.right?.type).toBe(true);
  });
});
