import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { checkJsonSchema } from '../schema/check-json-schema.ts';
import { compileJsonSchema } from '../schema/json-schema.ts';
import { checkFields } from './check-fields.ts';
import type { Field } from './field.ts';
import { fieldsFromSchema } from './fields-from-schema.ts';
import { schemaFromFields } from './schema-from-fields.ts';
import { validateValue } from './validate-value.ts';
import { validateValues } from './validate-values.ts';

const days = ['2026-02-28', '2026-03-01', '2026-12-31', '2024-02-29'];
const times = ['2026-03-01T10:00:00Z', '2026-03-01T23:59:59+08:00', '2026-03-01T10:00:00.5-05:00'];
const texts = ['', 'a', 'ab', '審批單', '😀😀😀', 'aaaaaa'];
const numbers = [-1, 0, 0.05, 0.1, 0.15, 0.3, 0.35, 1, 2, 4.35, 7, 10, 1e-7];

const range = <T>(values: fc.Arbitrary<T>) => ({ min: values, max: values });
const list = (values: readonly JsonValue[]) => fc.subarray([...values], { minLength: 1 });
const option = fc.oneof(
  fc.constant(['x', 'y', 'z']),
  fc.constant([1, 2, 2.5]),
  fc.constant([{ value: 'x', label: 'Ex', description: 'the one' }, { value: 'y' }]),
  fc.constant([true, false]),
);

/** Members of a field beside its name; some combinations are no valid field and are sorted out by `checkFields`. */
const member = fc.oneof(
  part(['text', 'textarea'], {
    ...range(fc.nat(4)),
    pattern: fc.constantFrom('^a*$', '.'),
    default: fc.constantFrom(...texts),
  }),
  part(['number', 'slider'], {
    ...range(fc.constantFrom(...numbers)),
    step: fc.constantFrom(0.05, 0.1, 1, 2),
    unit: fc.constant('h'),
    default: fc.constantFrom(...numbers),
  }),
  part(['date'], { ...range(fc.constantFrom(...days)), default: fc.constantFrom(...days) }),
  part(['datetime'], { ...range(fc.constantFrom(...times)), default: fc.constantFrom(...times) }),
  part(['boolean'], { default: fc.boolean() }),
  part(['checkbox'], { default: fc.boolean() }),
  part(
    ['select', 'radio'],
    { default: fc.constantFrom('x', 1, true), placeholder: fc.constant('choose') },
    { options: option },
  ),
  part(
    ['multiselect', 'checkbox'],
    { ...range(fc.nat(3)), default: list(['x', 'y', 1, 2, true]) },
    { options: option },
  ),
);

function part(types: string[], some: Record<string, fc.Arbitrary<unknown>>, always = {}): fc.Arbitrary<object> {
  const common = { label: fc.constant('Label'), description: fc.constant('why'), required: fc.boolean() };
  const model = { type: fc.constantFrom(...types), ...common, ...some, ...always };
  return fc.record(model, { requiredKeys: ['type', ...Object.keys(always)] as never[] });
}

const form = fc.array(member, { minLength: 1, maxLength: 6 }).map(members => {
  const raw = members.filter(one => checkFields([{ name: 'f', ...one }], '').faults.length === 0);
  return checkFields(
    raw.map((one, index) => ({ name: `f${index}`, ...one })),
    '',
  ).fields;
});

const value = fc.oneof(
  fc.constantFrom<JsonValue>(...texts, ...numbers, ...days, ...times, '2026-02-30', 'x', 'y', true, false, null, {}),
  fc.array(fc.constantFrom<JsonValue>('x', 'y', 1, 2, 2.5, true, null), { maxLength: 4 }),
);

const candidates: JsonValue[] = [
  ...texts,
  ...numbers,
  ...days,
  ...times,
  'x',
  'y',
  true,
  false,
  ['x'],
  [1, 2],
  [true],
  [],
];

/** A form and values for it, mostly such as its fields take. */
const filledForm = form.chain(fields => {
  const perField = fields.map(field => {
    const fitting = candidates.filter(one => validateValue(field, one, '', 'UTC').length === 0);
    const good = fitting.length === 0 ? value : fc.constantFrom(...fitting);
    const given = fc.oneof({ weight: 8, arbitrary: good }, { weight: 1, arbitrary: value });
    return [field.name, given] as const;
  });
  const values = fc.record(Object.fromEntries(perField), { requiredKeys: [] });
  const extra = fc.oneof(
    { weight: 9, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.constant({ other: 1 }) },
  );
  return fc.tuple(fc.constant(fields), values, extra);
});

describe('schemaFromFields', () => {
  it('is a valid schema that gives the verdicts and the values of the form', () => {
    let accepted = 0; // guards against values that no form takes, which would prove little
    fc.assert(
      fc.property(filledForm, ([fields, given, extra]) => {
        const values = { ...given, ...extra } as JsonObject;
        const schema = schemaFromFields(fields);
        expect(checkJsonSchema(schema, '')).toEqual([]);
        const byForm = validateValues(fields, values, { zone: 'UTC' });
        const bySchema = compileJsonSchema(schema).validate(values);
        expect(bySchema.ok).toBe(byForm.ok);
        if (byForm.ok && bySchema.ok) expect(bySchema.value).toEqual(byForm.values);
        if (byForm.ok) accepted++;
      }),
      { numRuns: 200, seed: 17 },
    );
    expect(accepted).toBeGreaterThan(20);
  });

  it('agrees with the form on single fields, value by value', () => {
    const every: JsonValue[] = [
      ...texts,
      ...numbers,
      ...days,
      ...times,
      '2026-02-30',
      'x',
      1,
      true,
      null,
      [],
      ['x'],
      ['x', 'x'],
    ];
    fc.assert(
      fc.property(member, one => {
        const { fields, faults } = checkFields([{ name: 'f', ...one }], '');
        fc.pre(faults.length === 0);
        const validator = compileJsonSchema(schemaFromFields(fields));
        for (const f of every) {
          expect([f, validator.validate({ f }).ok]).toEqual([f, validateValues(fields, { f }, { zone: 'UTC' }).ok]);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('leads back to the same fields', () => {
    const local: Field = { name: 'at', type: 'datetime', label: 'at', required: false, min: '2026-03-01T09:00' };
    const shown: Field = { name: 'vat', type: 'text', label: 'VAT', required: true, showIf: 'values.f0 == 1' };
    fc.assert(
      fc.property(form, fields => {
        const all = [...fields, local, shown];
        expect(fieldsFromSchema(schemaFromFields(all))).toEqual({ fields: all, faults: [] });
      }),
      { numRuns: 200 },
    );
  });

  it('says a form in standard words', () => {
    const { fields } = checkFields(
      [
        { name: 'queue', type: 'radio', label: 'Queue', required: true, options: ['oncall', 'billing'] },
        { name: 'hours', type: 'slider', min: 0, max: 10, step: 1, unit: 'h', default: 2 },
        { name: 'until', type: 'date', min: '2026-01-01' },
        {
          name: 'tag',
          type: 'select',
          options: [{ value: 'a', label: 'Alpha' }],
          showIf: 'values.hours > 1',
          required: true,
        },
      ],
      '',
    );
    expect(schemaFromFields(fields)).toEqual({
      type: 'object',
      properties: {
        queue: { title: 'Queue', enum: ['oncall', 'billing'], 'x-signalbox': { type: 'radio' } },
        hours: { type: 'integer', minimum: 0, maximum: 10, default: 2, 'x-signalbox': { type: 'slider', unit: 'h' } },
        until: { type: 'string', format: 'date', formatMinimum: '2026-01-01' },
        tag: {
          oneOf: [{ const: 'a', title: 'Alpha' }],
          'x-signalbox': { showIf: 'values.hours > 1', required: true },
        },
      },
      required: ['queue'],
      additionalProperties: false,
    });
  });
});
