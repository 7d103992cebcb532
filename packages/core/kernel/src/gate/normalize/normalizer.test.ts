import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../json/value.ts';
import { compileJsonSchema } from '../../schema/json-schema.ts';
import { createNormalizer } from './normalizer.ts';

interface Group {
  readonly about: string;
  readonly schema: JsonObject;
  readonly zone?: string;
  readonly rows: readonly Row[];
}

/** `kept`: it satisfies the schema. `refused` and `ambiguous`: left as it was, with an issue of this code. */
interface Row {
  readonly given: JsonValue;
  readonly kept?: true;
  readonly gives?: JsonValue;
  readonly by?: string | readonly string[];
  readonly refused?: string;
  readonly ambiguous?: string;
}

const TABLE: readonly Group[] = JSON.parse(readFileSync(new URL('testing/table.json', import.meta.url), 'utf8'));

function outcomeOf({ schema, zone }: Group, given: JsonValue) {
  const validator = compileJsonSchema(schema);
  const { value, changes, ambiguous } = createNormalizer(schema).normalize(given, zone === undefined ? {} : { zone });
  const validation = validator.validate(value);
  return { before: validator.validate(given).ok, value, changes, ambiguous, validation };
}

describe.each(TABLE)('$about', group => {
  it.each(group.rows.filter(row => row.kept))('keeps $given', ({ given }) => {
    const { before, value, changes } = outcomeOf(group, given);
    expect([before, value, changes]).toEqual([true, given, []]);
    expect(value).toBe(given);
  });

  it.each(group.rows.filter(row => row.by !== undefined))('reads $given as $gives', ({ given, gives, by }) => {
    const { before, value, changes, validation } = outcomeOf(group, given);
    expect([before, validation.ok, value]).toEqual([false, true, gives]);
    expect(changes.map(change => change.rule)).toEqual([by].flat());
  });

  it.each(group.rows.filter(row => row.refused !== undefined))('refuses $given', ({ given, refused }) => {
    const { validation, ambiguous } = outcomeOf(group, given);
    expect([validation.ok ? [] : validation.issues.map(issue => issue.code), ambiguous]).toEqual([
      expect.arrayContaining([refused]),
      [],
    ]);
  });

  it.each(group.rows.filter(row => row.ambiguous !== undefined))('sees two readings of $given', row => {
    const { validation, ambiguous } = outcomeOf(group, row.given);
    expect(validation.ok ? [] : validation.issues.map(issue => issue.code)).toContain(row.ambiguous);
    expect(ambiguous).toHaveLength(1);
  });
});

describe('a schema that refers to itself from several alternatives', () => {
  const alternative = (key: string): JsonObject => ({
    required: [key],
    properties: { next: { $ref: '#' }, count: { type: 'integer' } },
  });
  const schema: JsonObject = { anyOf: [alternative('a'), alternative('b')] };
  const nested = (levels: number, count: JsonValue): JsonObject =>
    levels === 0 ? { a: 1, count } : { a: 1, b: 1, next: nested(levels - 1, count) };

  it('is read where that takes few steps', () => {
    expect(createNormalizer(schema).normalize(nested(2, '3'))).toMatchObject({ value: nested(2, 3) });
  });

  it('leaves a value as it was whose every level doubles the steps', () => {
    const value = nested(60, 'many');
    expect(createNormalizer(schema).normalize(value)).toEqual({ value, changes: [], ambiguous: [] });
    expect(compileJsonSchema(schema).validate(value)).toMatchObject({ ok: false, issues: [{ code: 'tooManySteps' }] });
  });
});
