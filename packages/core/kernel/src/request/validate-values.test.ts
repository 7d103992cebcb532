import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json/value.ts';
import { checkFields } from './check-fields.ts';
import { validateValues } from './validate-values.ts';

function validate(fields: readonly object[], values: JsonObject, options: object = {}) {
  const checked = checkFields(fields, '');
  expect(checked.faults).toEqual([]);
  return validateValues(checked.fields, values, { zone: 'UTC', ...options });
}

function issuesOf(fields: readonly object[], values: JsonObject, options: object = {}): string[] {
  const result = validate(fields, values, options);
  return result.ok ? [] : result.issues.map(issue => `${issue.pointer} ${issue.code}: ${issue.message}`);
}

describe('validateValues', () => {
  const subscription = [
    { name: 'subscribe', type: 'boolean', default: true },
    { name: 'discount', type: 'number', min: 0, max: 50, default: 10 },
    { name: 'note', type: 'text', default: 'n/a' },
    { name: 'tags', type: 'multiselect', options: ['x', 'y'], min: 0, default: ['x'] },
  ];

  it('C05: takes false, 0, an empty text and an empty list for the answers they are', () => {
    const values = { subscribe: false, discount: 0, note: '', tags: [] };
    expect(validate(subscription, values)).toEqual({ ok: true, values });
  });

  it('C05: lets the default stand in for an absent key alone', () => {
    expect(validate(subscription, { subscribe: true })).toEqual({
      ok: true,
      values: { subscribe: true, discount: 10, note: 'n/a', tags: ['x'] },
    });
  });

  it('C05: refuses null, which is neither false nor the default', () => {
    expect(issuesOf(subscription, { subscribe: null })).toEqual([
      '/subscribe null: null is no value; leave the key out to give none',
    ]);
    expect(issuesOf([{ name: 'note', type: 'text' }], { note: null })).toHaveLength(1);
  });

  it('C06: names a missing value and a broken bound by the place of the field', () => {
    const form = [{ name: 'qty', type: 'number', required: true, min: 1, max: 9, step: 1 }];
    expect(issuesOf(form, {})).toEqual(['/qty required: is required']);
    expect(issuesOf(form, { qty: 0 })).toEqual(['/qty minimum: must be at least 1']);
    expect(issuesOf(form, { qty: 2.5 })).toEqual(['/qty multipleOf: must be a whole number']);
    expect(validate(form, { qty: 4 })).toEqual({ ok: true, values: { qty: 4 } });
  });

  it('C17: counts steps in decimal and stores the number as it came', () => {
    const form = [
      { name: 'level', type: 'slider', min: 0, max: 1, step: 0.1 },
      { name: 'mix', type: 'slider', min: 0.05, max: 1, step: 0.05 },
      { name: 'price', type: 'number', step: 0.01 },
    ];
    for (const level of [0.3, 0.6, 0.7]) expect(validate(form, { level })).toEqual({ ok: true, values: { level } });
    for (const mix of [0.15, 0.35, 0.7]) expect(validate(form, { mix })).toEqual({ ok: true, values: { mix } });
    expect(validate(form, { price: 4.35 })).toEqual({ ok: true, values: { price: 4.35 } });
    expect(issuesOf(form, { level: 0.35, mix: 0.12, price: 16.085 })).toEqual([
      '/level multipleOf: must be a multiple of 0.1',
      '/mix multipleOf: must be a multiple of 0.05',
      '/price multipleOf: must be a multiple of 0.01',
    ]);
  });

  it('C18: refuses days that the calendar does not have', () => {
    const form = [{ name: 'day', type: 'date' }];
    for (const day of ['2024-02-29', '2000-02-29', '2026-12-31']) {
      expect(validate(form, { day })).toEqual({ ok: true, values: { day } });
    }
    const impossible = [
      '2026-02-30',
      '2025-02-29',
      '2100-02-29',
      '2026-04-31',
      '2026-13-01',
      '2026-00-10',
      '2026-06-99',
    ];
    for (const day of impossible) expect(issuesOf(form, { day })).toHaveLength(1);
  });

  it('C18: keeps a time with its offset, and reads one without in the declared zone', () => {
    const form = [{ name: 'at', type: 'datetime' }];
    const at = '2026-03-01T23:59:59+08:00';
    expect(validate(form, { at })).toEqual({ ok: true, values: { at } });
    for (const local of ['2026-03-01T10:00:00', '2026-03-01T10:00']) {
      expect(validate(form, { at: local }, { zone: 'Asia/Taipei' })).toEqual({
        ok: true,
        values: { at: '2026-03-01T02:00:00.000Z' },
      });
    }
    for (const none of ['2026-13-13T17:45:07Z', '2026-03-01T25:00:00Z', '2026-03-01', 'noon']) {
      expect(issuesOf(form, { at: none })).toHaveLength(1);
    }
  });

  it('C20: compares options with their type', () => {
    const form = [
      { name: 'level', type: 'select', options: [1, 2, 3] },
      { name: 'code', type: 'radio', options: ['US', 'us'] },
      { name: 'colors', type: 'checkbox', options: ['red', 'green'] },
    ];
    expect(issuesOf(form, { level: 2, code: 'US', colors: ['green', 'red'] })).toEqual([]);
    expect(issuesOf(form, { level: '2', code: 'Us', colors: ['red', 'blue'] })).toEqual([
      '/level enum: must be one of 1, 2, 3',
      '/code enum: must be one of "US", "us"',
      '/colors/1 enum: must be one of "red", "green"',
    ]);
  });

  it('C21: counts the length of a text in code points', () => {
    const form = [
      { name: 'tag', type: 'text', min: 1, max: 3 },
      { name: 'pin', type: 'textarea', min: 5 },
    ];
    for (const tag of ['abc', '審批單', '😀😀😀'])
      expect(validate(form, { tag })).toEqual({ ok: true, values: { tag } });
    for (const tag of ['😀😀😀😀', '']) expect(issuesOf(form, { tag })).toHaveLength(1);
    expect(issuesOf(form, { pin: '😀😀😀' })).toEqual(['/pin minLength: must have at least 5 characters']);
    expect(issuesOf(form, { pin: '12345' })).toEqual([]);
  });

  it('refuses fields it does not know, with the likely one named', () => {
    expect(issuesOf(subscription, { discont: 3, toString: 1 })).toEqual([
      '/discont unknownField: is not a field of this form; did you mean `discount`?',
      '/toString unknownField: is not a field of this form',
    ]);
  });

  it('never coerces', () => {
    const form = [...subscription, { name: 'day', type: 'date' }, { name: 'agree', type: 'checkbox' }];
    const values = { subscribe: 'false', discount: '5', note: 5, tags: 'x', day: 20260101, agree: 1 };
    expect(issuesOf(form, values).map(issue => issue.split(':')[0])).toEqual([
      '/subscribe type',
      '/discount type',
      '/note type',
      '/tags type',
      '/day type',
      '/agree type',
    ]);
  });

  it('wants the members of a choice of many distinct and in number', () => {
    const form = [{ name: 'tags', type: 'multiselect', options: ['a', 'b', 'c'], min: 1, max: 2 }];
    expect(issuesOf(form, { tags: [] })).toEqual(['/tags minItems: must have at least 1 entry']);
    expect(issuesOf(form, { tags: ['a', 'b', 'a'] })).toEqual([
      '/tags maxItems: must have at most 2 entries',
      '/tags uniqueItems: must not have the same entry twice',
    ]);
  });

  it('compares times with their bounds as instants', () => {
    const form = [{ name: 'at', type: 'datetime', min: '2026-03-01T09:00', max: '2026-03-01T12:00:00Z' }];
    expect(issuesOf(form, { at: '2026-03-01T01:00:00Z' }, { zone: 'Asia/Taipei' })).toEqual([]);
    expect(issuesOf(form, { at: '2026-03-01T00:59:59Z' }, { zone: 'Asia/Taipei' })).toEqual([
      '/at minimum: must be at least 2026-03-01T09:00',
    ]);
    expect(issuesOf(form, { at: '2026-03-01T20:00:01+08:00' })).toEqual([
      '/at maximum: must be at most 2026-03-01T12:00:00Z',
    ]);
  });

  describe('with showIf', () => {
    const form = [
      { name: 'kind', type: 'select', options: ['company', 'person'], default: 'person' },
      { name: 'vat', type: 'text', required: true, showIf: "values.kind == 'company'" },
      { name: 'country', type: 'text', default: 'AT', showIf: 'has(values.vat)' },
    ];
    const isShown = (field: { name: string }, values: JsonObject) =>
      field.name === 'vat' ? values.kind === 'company' : 'vat' in values;

    it('asks neither for a hidden field nor for one that hangs on it', () => {
      expect(validate(form, {}, { isShown })).toEqual({ ok: true, values: { kind: 'person' } });
    });

    it('wants a shown field', () => {
      expect(issuesOf(form, { kind: 'company' }, { isShown })).toEqual(['/vat required: is required']);
      expect(validate(form, { kind: 'company', vat: 'U1' }, { isShown })).toEqual({
        ok: true,
        values: { kind: 'company', vat: 'U1', country: 'AT' },
      });
    });

    it('refuses a value for a hidden field, and hides what hangs on it too', () => {
      expect(issuesOf(form, { vat: 'U1' }, { isShown })).toEqual([
        '/vat hiddenField: is not asked for with these values, so no value may be given',
      ]);
    });
  });
});
