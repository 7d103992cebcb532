import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { marksSensitive, maskBySchema } from './mask-by-schema.ts';

const sensitive = { sensitive: true };

describe('a value masked by its schema', () => {
  it('hides what is marked: a member, an item, everything beside named members, the whole', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: {
        card: sensitive,
        people: { type: 'array', items: { type: 'object', properties: { iban: sensitive } } },
        pair: { prefixItems: [{}, sensitive] },
        open: {},
      },
      additionalProperties: sensitive,
    };
    const value = { card: null, people: [{ iban: 'a', name: 'b' }], pair: [1, 2, 3], open: 'c', rest: { d: 1 } };
    expect(maskBySchema(schema, value)).toEqual({
      card: '***',
      people: [{ iban: '***', name: 'b' }],
      pair: [1, '***', 3],
      open: 'c',
      rest: '***',
    });
    expect(maskBySchema(sensitive, [1])).toBe('***');
  });

  it('looks through references and every branch of a choice', () => {
    const schema: JsonObject = {
      $defs: { secret: { type: 'string', sensitive: true } },
      properties: { a: { $ref: '#/$defs/secret' }, b: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/secret' }] } },
      allOf: [{ properties: { c: sensitive } }],
    };
    expect(maskBySchema(schema, { a: 1, b: null, c: 2, d: 3 })).toEqual({ a: '***', b: '***', c: '***', d: 3 });
  });

  it('is the value itself where nothing of it is marked', () => {
    const value = { a: { b: [1] } };
    expect(maskBySchema({ properties: { x: sensitive, a: { properties: { y: sensitive } } } }, value)).toBe(value);
    expect([marksSensitive({ properties: { a: sensitive } }), marksSensitive({ properties: { a: {} } })]).toEqual([
      true,
      false,
    ]);
  });

  it('masks each part once, however many alternatives of a recursive schema lead to it', () => {
    const next: JsonObject = { properties: { next: { $ref: '#' }, pin: sensitive } };
    const nested = (levels: number): JsonObject => (levels === 0 ? {} : { pin: levels, next: nested(levels - 1) });
    const masked = maskBySchema({ anyOf: [next, { ...next, required: ['pin'] }] }, nested(60));
    expect(JSON.stringify(masked).match(/"pin":"\*{3}"/g)).toHaveLength(60);
  });

  it.each<[string, JsonObject, JsonValue, JsonValue]>([
    ['keys of a pattern', { patternProperties: { '^pin': sensitive } }, { pin_a: 1, b: 2 }, { pin_a: '***', b: 2 }],
    [
      'a reference with keywords beside it',
      {
        properties: { card: { $ref: '#/$defs/card', properties: { note: {} } } },
        $defs: { card: { properties: { pin: sensitive } } },
      },
      { card: { pin: 1, note: 2 } },
      { card: { pin: '***', note: 2 } },
    ],
    [
      'a dynamic reference',
      { properties: { pin: { $dynamicRef: '#pin' } }, $defs: { pin: { $dynamicAnchor: 'pin', sensitive: true } } },
      { pin: 1 },
      { pin: '***' },
    ],
    [
      'what nothing else speaks of',
      { allOf: [{ properties: { a: {} } }], unevaluatedProperties: sensitive },
      { a: 1, b: 2 },
      { a: 1, b: '***' },
    ],
    ['items behind the first', { prefixItems: [{}], unevaluatedItems: sensitive }, [1, 2], [1, '***']],
    ['items that are to be there', { contains: sensitive }, [1], ['***']],
    ['a condition', { if: { properties: { pin: sensitive } } }, { pin: 1 }, { pin: '***' }],
    [
      'what hangs on a key',
      { dependentSchemas: { a: { properties: { pin: sensitive } } } },
      { a: 1, pin: 2 },
      { a: 1, pin: '***' },
    ],
    [
      'the same in the older writing',
      { dependencies: { a: { properties: { pin: sensitive } } } },
      { a: 1, pin: 2 },
      { a: 1, pin: '***' },
    ],
    ['names of keys', { properties: { by: { propertyNames: sensitive } } }, { by: { '4111': 1 } }, { by: '***' }],
    [
      'a reference into a part with a base of its own, which is not followed',
      { properties: { pin: { $ref: 'urn:pin' }, b: {} }, $defs: { pin: { $id: 'urn:pin', sensitive: true } } },
      { pin: 1, b: 2 },
      { pin: '***', b: 2 },
    ],
  ])('hides what is marked by way of %s', (_what, schema, value, shown) => {
    expect(maskBySchema(schema, value)).toEqual(shown);
  });

  it('hides a text that stands for an object with something marked in it, be it behind a reference', () => {
    const schema: JsonObject = {
      properties: { pay: { type: 'object', properties: { card: { $ref: '#/$defs/pin' } } } },
      $defs: { pin: sensitive },
    };
    expect(maskBySchema(schema, { pay: '{"card":"4111"}' }, { textsWhole: true })).toEqual({ pay: '***' });
  });

  it('leaves alone what a reference that is not followed speaks of, where nothing is marked', () => {
    const schema: JsonObject = { properties: { a: { $ref: 'urn:a' } }, $defs: { a: { $id: 'urn:a' } } };
    expect(maskBySchema(schema, { a: 1 })).toEqual({ a: 1 });
  });

  it('ends where a schema that refers to itself marks something', () => {
    const schema: JsonObject = { allOf: [{ properties: { next: { $ref: '#' }, pin: sensitive } }] };
    expect(maskBySchema(schema, { pin: 1, next: { pin: 2, next: {} } })).toEqual({
      pin: '***',
      next: { pin: '***', next: {} },
    });
  });
});
