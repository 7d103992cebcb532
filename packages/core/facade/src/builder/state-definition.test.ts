import { isSignalboxError, type JsonObject } from '@signalbox/kernel';
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Assembly } from './assembly.ts';
import { append } from './reducers.ts';
import { stateDefinition } from './state-definition.ts';

/** A schema of a library that shows no more than the standards ask for. */
function plainSchema(json: JsonObject): StandardSchemaV1 {
  const jsonSchema = { input: () => json, output: () => json };
  const standard: StandardSchemaV1.Props & StandardJSONSchemaV1.Props = {
    version: 1,
    vendor: 'plain',
    validate: value => ({ value }),
    jsonSchema,
  };
  return { '~standard': standard };
}

function read(schema: StandardSchemaV1) {
  const assembly = new Assembly('g');
  const state = stateDefinition(schema, assembly);
  return { state, assembly, faults: assembly.faults.map(({ code, pointer }) => `${code} ${pointer}`) };
}

describe('The state of a graph', () => {
  it('is read from JSON Schema where a library does not show the schemas of its keys', () => {
    const city = { type: 'object', properties: { name: { type: 'string' } } };
    const properties = {
      trail: { type: 'array', items: { type: 'string' }, reducer: 'append' },
      home: { $ref: '#/$defs/city' },
    };
    const { state, faults } = read(plainSchema({ type: 'object', properties, $defs: { city } }));
    expect(faults).toEqual([]);
    expect(state).toEqual({
      trail: { schema: { type: 'array', items: { type: 'string' } }, reducer: 'append' },
      home: { schema: { $ref: '#/$defs/city', $defs: { city } } },
    });
  });

  it('has what is appended checked alone only where the list has no checks of its own', () => {
    const text = z.string().min(2);
    const { assembly } = read(
      z.object({
        plain: append(z.array(text)),
        begun: append(z.array(text).default([])),
        short: append(z.array(text).max(3)),
        unique: append(z.array(text).refine(list => new Set(list).size === list.length)),
      }),
    );
    const items = [...assembly.validators.keys()].filter(pointer => pointer.endsWith('/items'));
    expect(items).toEqual(['/state/plain/schema/items', '/state/begun/schema/items']);
    expect(assembly.validators.get('/state/plain/schema/items')?.validate('x').ok).toBe(false);
  });

  it('is an object with named keys', () => {
    expect(read(z.string()).faults).toEqual(['InvalidState /state']);
  });

  it('keeps the checks of its library by key, and says which key has no JSON form', () => {
    const { assembly, faults } = read(z.object({ even: z.number().refine(n => n % 2 === 0), at: z.date() }));
    expect(faults).toEqual(['SchemaWithoutJson /state/at/schema']);
    expect(assembly.validators.get('/state/even/schema')?.validate(3).ok).toBe(false);
  });

  it('needs a schema with metadata to mark a reducer', () => {
    const list = plainSchema({ type: 'array' }) as StandardSchemaV1<unknown, readonly unknown[]>;
    try {
      append(list);
      expect.unreachable();
    } catch (error) {
      expect(isSignalboxError(error) && error.code).toBe('UnsupportedSchema');
    }
  });
});
