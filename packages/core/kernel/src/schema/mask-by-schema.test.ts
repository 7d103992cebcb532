import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json/value.ts';
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
});
