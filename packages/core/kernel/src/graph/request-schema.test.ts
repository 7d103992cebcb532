import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { checkFields } from '../request/check-fields.ts';
import type { Field } from '../request/field.ts';
import { type ProjectedRequest, schemaFromRequest } from '../request/schema-from-request.ts';
import { validateValues } from '../request/validate-values.ts';
import { requestFromSchema } from './request-from-schema.ts';

// The package is CommonJS: its types say that the function is the default export, Node that the default export has it.
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;

/** A validator as anybody would set it up, with none of our own keywords and formats. */
function foreignValidator(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, multipleOfPrecision: 9 });
  addFormats(ajv, { keywords: true });
  return ajv;
}

const TRIP: ProjectedRequest = {
  kind: 'form',
  title: '去哪里？',
  message: 'For the trip',
  gap: 'preference',
  summary: 'a trip',
  purpose: 'to book it',
  context: { budget: [1, null] },
  displays: [{ type: 'text', text: 'hello' }],
  actions: { approve: 'Book', reject: 'Stay' },
  proposal: { values: { nights: 2 }, confidence: 0.5, reason: 'as before', alternatives: [{ values: { nights: 3 } }] },
  fields: checkFields(
    [
      {
        name: 'city',
        type: 'radio',
        label: '城市',
        required: true,
        options: [{ value: 'UIO', label: 'Quito' }, 'LIM'],
      },
      { name: 'nights', type: 'slider', min: 1, max: 30, step: 1, unit: 'nights', default: 2 },
      { name: 'from', type: 'datetime', min: '2026-01-01T00:00', placeholder: 'when' },
      { name: 'why', type: 'textarea', showIf: 'values.nights > 20', required: true, max: 500 },
    ],
    '',
  ).fields,
};

describe('the schema of a whole question', () => {
  it('says it in standard words, and the rest under x-signalbox', () => {
    expect(schemaFromRequest(TRIP)).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: '去哪里？',
      description: 'For the trip',
      type: 'object',
      required: ['city'],
      additionalProperties: false,
      properties: {
        nights: { type: 'integer', minimum: 1, maximum: 30, 'x-signalbox': { type: 'slider', unit: 'nights' } },
      },
      'x-signalbox': { kind: 'form', gap: 'preference', actions: { approve: 'Book', reject: 'Stay' } },
    });
  });

  it.each([
    ['a form', TRIP],
    ['a confirmation', { kind: 'confirmation', title: 'Pay 20 €?', fields: [], context: null } as ProjectedRequest],
  ])('leads back to the same: %s', (_, request) => {
    const { request: back, faults } = requestFromSchema(schemaFromRequest(request));
    expect(faults).toEqual([]);
    const { fields, ...rest } = request;
    expect(back).toEqual({ ...rest, ...(fields.length === 0 ? {} : { fields }) });
  });

  it('of somebody else is a form, and what it cannot ask is told at its place', () => {
    const { request, faults } = requestFromSchema({
      title: 'Settings',
      type: 'object',
      properties: { theme: { enum: ['dark', 'light'] }, deep: { type: 'object' } },
      'x-signalbox': { kind: 'quiz', colour: 'red', purpose: 5 },
    });
    expect(request).toMatchObject({ title: 'Settings', fields: [{ name: 'theme', type: 'select' }] });
    expect(faults.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([
      'UnsupportedInForm /properties/deep',
      'UnknownKey /x-signalbox/colour',
      expect.stringMatching(/ \/x-signalbox\/kind$/),
      expect.stringMatching(/ \/x-signalbox\/purpose$/),
    ]);
  });
});

const TEXTS: JsonValue[] = ['', 'a', 'aaa', '審批單', '😀😀😀'];
const NUMBERS: JsonValue[] = [-1, 0, 0.05, 0.1, 0.15, 0.3, 0.35, 1, 2, 4.35, 7];
const DAYS: JsonValue[] = ['2026-02-28', '2026-02-30', '2024-02-29', '2026-13-01'];
const TIMES: JsonValue[] = ['2026-03-01T10:00:00Z', '2026-03-01T23:59:59+08:00', '2026-03-01T25:00:00Z'];
const VALUES: JsonValue[] = [
  ...TEXTS,
  ...NUMBERS,
  ...DAYS,
  ...TIMES,
  true,
  false,
  null,
  {},
  [],
  ['x'],
  ['x', 'y'],
  ['x', 'x'],
  [1, 2],
  ['z'],
];

const bounds = (values: fc.Arbitrary<unknown>) => ({ min: values, max: values });

function part(
  types: readonly string[],
  some: Record<string, fc.Arbitrary<unknown>>,
  always = {},
): fc.Arbitrary<JsonObject> {
  const model = { type: fc.constantFrom(...types), required: fc.boolean(), ...some, ...always };
  return fc.record(model, { requiredKeys: ['type', ...Object.keys(always)] as never[] }) as fc.Arbitrary<JsonObject>;
}

const OPTIONS = fc.constantFrom<JsonValue[]>(
  ['x', 'y'],
  [{ value: 'x', label: 'Ex', description: 'the one' }, 'y'],
  ['1', '2'],
);

const FIELD = fc.oneof(
  part(['text', 'textarea'], { ...bounds(fc.nat(4)), pattern: fc.constantFrom('^a*$', '.') }),
  part(['number', 'slider'], { ...bounds(fc.constantFrom(...NUMBERS)), step: fc.constantFrom(0.05, 0.1, 1, 2) }),
  part(['date'], bounds(fc.constantFrom('2026-01-01', '2026-02-28', '2026-12-31'))),
  part(['datetime'], {}),
  part(['boolean', 'checkbox'], {}),
  part(['select', 'radio'], {}, { options: OPTIONS }),
  part(['multiselect', 'checkbox'], bounds(fc.nat(2)), { options: OPTIONS }),
);

function formOf(members: readonly JsonObject[]): readonly Field[] {
  const named = members.map((member, index) => ({ ...member, name: `f${index}` }));
  return checkFields(
    named.filter(field => checkFields([field], '').faults.length === 0),
    '',
  ).fields;
}

describe('a validator of somebody else', () => {
  it('takes the schema of every form for one of JSON Schema 2020-12', () => {
    const ajv = foreignValidator();
    fc.assert(
      fc.property(fc.array(FIELD, { maxLength: 8 }), members => {
        const schema = schemaFromRequest({ ...TRIP, fields: formOf(members) });
        expect([ajv.validateSchema(schema), ajv.errors]).toEqual([true, null]);
      }),
      { numRuns: 200 },
    );
    expect(ajv.validateSchema(schemaFromRequest(TRIP))).toBe(true);
  });

  it('gives the verdict of the form on every value, where the schema has words for the rule', () => {
    const ajv = foreignValidator();
    let accepted = 0; // guards against values that no form takes, which would prove little
    fc.assert(
      fc.property(FIELD, member => {
        const fields = formOf([member]);
        fc.pre(fields.length === 1);
        const validate = ajv.compile(schemaFromRequest({ kind: 'form', title: 'T', fields }));
        for (const f0 of VALUES) {
          const byForm = validateValues(fields, { f0 }, { zone: 'UTC' }).ok;
          expect([f0, validate({ f0 })]).toEqual([f0, byForm]);
          if (byForm) accepted += 1;
        }
        expect(validate({})).toBe(validateValues(fields, {}, { zone: 'UTC' }).ok);
        expect(validate({ other: 1 })).toBe(false);
      }),
      { numRuns: 300 },
    );
    expect(accepted).toBeGreaterThan(100);
  });
});
