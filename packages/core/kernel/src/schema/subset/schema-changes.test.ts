import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../json/value.ts';
import { schemaChanges } from './schema-changes.ts';

function changes(from: JsonObject, to: JsonObject): string[] {
  return schemaChanges(from, to).map(
    ({ widens, pointer, message }) => `${widens ? '+' : '-'} ${pointer || '/'}: ${message}`,
  );
}

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });

describe('schemaChanges', () => {
  it('says nothing where only spelling changed', () => {
    const from = object({ a: { type: ['string', 'null'], title: 'A' } }, { required: ['a'] });
    const to = object({ a: { anyOf: [{ type: 'null' }, { type: 'string' }] } }, { required: ['a'], description: 'x' });
    expect(changes(from, to)).toEqual([]);
  });

  it.each<[string, JsonObject, JsonObject, string[]]>([
    [
      'a larger maximum',
      { type: 'integer', maximum: 5 },
      { type: 'integer', maximum: 9 },
      ['+ /maximum: `maximum` was 5 and is 9'],
    ],
    [
      'a smaller maximum',
      { type: 'integer', maximum: 9 },
      { type: 'integer', maximum: 5 },
      ['- /maximum: `maximum` was 9 and is 5'],
    ],
    ['a bound that is gone', { type: 'number', minimum: 1 }, { type: 'number' }, ['+ /minimum: `minimum` 1 is gone']],
    ['an equal bound on whole numbers', { type: 'integer', exclusiveMinimum: 0 }, { type: 'integer', minimum: 1 }, []],
    [
      'a bound that no longer includes its end',
      { type: 'number', minimum: 0 },
      { type: 'number', exclusiveMinimum: 0 },
      ['- /exclusiveMinimum: `exclusiveMinimum` is 0'],
    ],
    [
      'another pattern',
      { type: 'string', pattern: '^a' },
      { type: 'string', pattern: '^ab' },
      ['+ /pattern: `pattern` was "^a" and is "^ab", which cannot be shown to let through no more'],
    ],
    [
      'a pattern where none was',
      { type: 'string' },
      { type: 'string', pattern: '^a' },
      ['- /pattern: `pattern` is "^a"'],
    ],
    [
      'a type more',
      { type: 'string' },
      { type: ['string', 'null'] },
      ['+ /type: `type` was "string" and is "null", "string"'],
    ],
    [
      'whole numbers for numbers',
      { type: 'number' },
      { type: 'integer' },
      ['- /type: `type` was "number" and is "integer"'],
    ],
    ['a choice more', { enum: ['a', 'b'] }, { enum: ['a', 'b', 'c'] }, ['+ /: may be "c"']],
    ['a choice less', { enum: ['a', 'b'] }, { enum: ['a'] }, ['- /: may no longer be "b"']],
    [
      'values that meet the pattern',
      { type: 'string', pattern: '^[ab]$' },
      { enum: ['a', 'b'] },
      ['- /enum: may only be "a", "b"'],
    ],
    [
      'a finer step',
      { type: 'number', multipleOf: 0.1 },
      { type: 'number', multipleOf: 0.05 },
      ['+ /multipleOf: `multipleOf` was 0.1 and is 0.05'],
    ],
    [
      'a coarser step',
      { type: 'number', multipleOf: 0.05 },
      { type: 'number', multipleOf: 0.1 },
      ['- /multipleOf: `multipleOf` was 0.05 and is 0.1'],
    ],
    [
      'a format that is gone',
      { type: 'string', format: 'date' },
      { type: 'string' },
      ['+ /format: `format` "date" is gone'],
    ],
    [
      'longer texts',
      { type: 'string', maxLength: 5 },
      { type: 'string', maxLength: 6 },
      ['+ /maxLength: `maxLength` was 5 and is 6'],
    ],
  ])('%s', (_, from, to, expected) => {
    expect(changes(from, to)).toEqual(expected);
  });

  it.each<[string, JsonObject, JsonObject, string[]]>([
    [
      'a key that may be left out',
      object({ a: {} }, { required: ['a'] }),
      object({ a: {} }),
      ['+ /required: `a` may be left out'],
    ],
    [
      'a key that must be given',
      object({ a: {} }),
      object({ a: {} }, { required: ['a'] }),
      ['- /required: `a` must be given'],
    ],
    [
      'a key that may be given where others were refused',
      object({ a: {} }, { additionalProperties: false }),
      object({ a: {}, b: {} }, { additionalProperties: false }),
      ['+ /properties/b: `b` may be given'],
    ],
    [
      'other keys where they were refused',
      object({ a: {} }, { additionalProperties: false }),
      object({ a: {} }),
      ['+ /additionalProperties: `additionalProperties` false is gone'],
    ],
    [
      'a key that is no longer spoken of',
      object({ a: { type: 'string' } }),
      object({}),
      ['+ /properties/a: `a` may be anything'],
    ],
    [
      'a key that is refused now',
      object({ a: { type: 'string' }, b: {} }),
      object({ a: { type: 'string' } }, { additionalProperties: false }),
      ['- /properties/b: `b` may no longer be given', '- /additionalProperties: `additionalProperties` is false'],
    ],
    [
      'a default for a key that was required',
      object({ a: { type: 'integer' } }, { required: ['a'] }),
      object({ a: { type: 'integer', default: 1 } }, { required: ['a'] }),
      ['+ /required: `a` may be left out', '+ /properties/a/default: `a` left out is sent as 1'],
    ],
    [
      'another default',
      object({ a: { type: 'integer', default: 1 } }),
      object({ a: { type: 'integer', default: 2 } }),
      ['+ /properties/a/default: `a` left out is sent as 2'],
    ],
    [
      'a place deep inside',
      object({ a: { type: 'array', items: object({ b: { maximum: 1 } }) } }),
      object({ a: { type: 'array', items: object({ b: { maximum: 2 } }) } }),
      ['+ /properties/a/items/properties/b/maximum: `maximum` was 1 and is 2'],
    ],
    [
      'a longer list',
      { type: 'array', maxItems: 2 },
      { type: 'array', maxItems: 3 },
      ['+ /maxItems: `maxItems` was 2 and is 3'],
    ],
  ])('%s', (_, from, to, expected) => {
    expect(changes(from, to)).toEqual(expected);
  });

  it('follows references, and gives up where they lead into themselves', () => {
    const tree = (leaf: JsonObject): JsonObject => ({
      $ref: '#/$defs/node',
      $defs: { node: object({ leaf, next: { $ref: '#/$defs/node' } }) },
    });
    const flat = (max: number): JsonObject =>
      object({ a: { $ref: '#/$defs/n' } }, { $defs: { n: { type: 'integer', maximum: max } } });
    expect(changes(flat(2), object({ a: { type: 'integer', maximum: 1 } }))).toEqual([
      '- /properties/a/maximum: `maximum` was 2 and is 1',
    ]);
    expect(changes(tree({ type: 'string' }), tree({ type: 'string' }))).toEqual([]);
    expect(changes(tree({ type: 'string' }), tree({ enum: ['a'] }))).toEqual([
      '+ /: it cannot be shown to let through no more than before',
    ]);
  });

  it('reads `nullable` as the validator does', () => {
    const nullable: JsonObject = { type: 'string', nullable: true };
    expect(changes(nullable, { type: ['null', 'string'] })).toEqual([]);
    expect(schemaChanges({ type: 'string' }, nullable)).toMatchObject([{ widens: true, pointer: '/type' }]);
  });

  it('a condition of the schema is kept by the same condition alone', () => {
    const conditional = (max: number): JsonObject => ({
      type: 'object',
      if: { properties: { a: { const: 1 } } },
      else: { maxProperties: max },
    });
    expect(schemaChanges(conditional(2), { ...conditional(2), minProperties: 1 })).toMatchObject([{ widens: false }]);
    expect(schemaChanges(conditional(2), conditional(1))).toMatchObject([{ widens: true, pointer: '/if' }]);
  });

  it('a pattern beside the old one is narrower', () => {
    const from: JsonObject = { type: 'string', pattern: '^a' };
    const to: JsonObject = { type: 'string', allOf: [{ pattern: '^a' }, { pattern: 'b$' }] };
    expect(schemaChanges(from, to)).toMatchObject([{ pointer: '/pattern', widens: false }]);
    expect(schemaChanges(to, from)).toMatchObject([{ pointer: '/pattern', widens: true }]);
  });

  it('a choice is narrower when each of its branches is within one of the old', () => {
    const from: JsonObject = { anyOf: [object({ a: {} }, { required: ['a'] }), { type: 'string', maxLength: 9 }] };
    const to: JsonObject = {
      anyOf: [object({ a: { type: 'string' } }, { required: ['a'] }), { type: 'string', maxLength: 5 }],
    };
    expect(schemaChanges(from, to).every(({ widens }) => !widens)).toBe(true);
    expect(schemaChanges(to, from).some(({ widens }) => widens)).toBe(true);
  });

  it('a branch of a tagged choice may be taken away', () => {
    const kind = (name: string): JsonObject => object({ kind: { const: name } }, { required: ['kind'] });
    const from: JsonObject = { oneOf: [kind('card'), kind('bank'), kind('cash')] };
    const to: JsonObject = { oneOf: [kind('card'), kind('bank')] };
    expect(schemaChanges(from, to).some(({ widens }) => widens)).toBe(false);
    expect(schemaChanges(to, from).some(({ widens }) => widens)).toBe(true);
  });
});
