import { describe, expect, it } from 'vitest';
import { checkFields } from './check-fields.ts';

function faultsOf(fields: unknown, checks = {}): string[] {
  return checkFields(fields, '/fields', checks).faults.map(fault => `${fault.code} ${fault.pointer}`);
}

describe('checkFields', () => {
  it('completes a field: the label from the name, every option an object', () => {
    const { fields, faults } = checkFields(
      [
        { name: 'queue', type: 'select', required: true, options: ['oncall', { value: 'billing', label: 'Billing' }] },
        { name: 'agree', type: 'checkbox' },
        {
          name: 'hours',
          type: 'slider',
          label: 'Hours',
          min: 0,
          max: 10,
          step: 1,
          unit: 'h',
          default: 2,
          required: true,
        },
      ],
      '',
    );
    expect(faults).toEqual([]);
    expect(fields).toEqual([
      {
        name: 'queue',
        type: 'select',
        label: 'queue',
        required: true,
        options: [
          { value: 'oncall', label: 'oncall' },
          { value: 'billing', label: 'Billing' },
        ],
      },
      { name: 'agree', type: 'checkbox', label: 'agree', required: false },
      {
        name: 'hours',
        type: 'slider',
        label: 'Hours',
        required: false,
        min: 0,
        max: 10,
        step: 1,
        unit: 'h',
        default: 2,
      },
    ]);
  });

  it.each([
    ['integer', 'A whole number is `type: number` with `step: 1`.'],
    ['string', 'A text is `type: text`, one of several lines `textarea`.'],
    ['array', 'Several of a list of options are `type: multiselect`.'],
    ['enum', 'One of a list of options is `type: select` or `radio`.'],
    ['sellect', 'Did you mean `select`?'],
  ])('says of the type %s what is meant', (type, hint) => {
    expect(checkFields([{ name: 'x', type }], '').faults).toMatchObject([{ code: 'UnknownFieldType', hint }]);
  });

  it('C33: names every problem of a form at once, each with its code and place', () => {
    const fields = [
      { name: 'level', type: 'slider', min: 0, max: 10, default: 11 },
      { name: 'queue', type: 'select', options: [] },
      { name: 'queue', type: 'text', patern: 'a' },
      { name: '__proto__', type: 'text' },
      { name: 'two words', type: 'sellect' },
      { type: 'number', min: 3, max: 1, step: 0 },
      { name: 'code', type: 'text', pattern: '(a)\\1', step: 1 },
      { name: 'color', type: 'radio', options: ['red', 'red', { value: 'blue', text: 'Blue' }], default: 'green' },
      'note',
    ];
    expect(faultsOf(fields)).toEqual([
      'DefaultOutOfBounds /fields/0/default',
      'NoOptions /fields/1/options',
      'UnknownKey /fields/2/patern',
      'DuplicateName /fields/2/name',
      'DangerousKey /fields/3/name',
      'InvalidName /fields/4/name',
      'UnknownFieldType /fields/4/type',
      'MissingKey /fields/5/name',
      'EmptyRange /fields/5/min',
      'InvalidStep /fields/5/step',
      'UnknownKey /fields/6/step',
      'InvalidPattern /fields/6/pattern',
      'UnknownKey /fields/7/options/2/text',
      'DuplicateOption /fields/7/options/1',
      'DefaultOutOfBounds /fields/7/default',
      'InvalidField /fields/8',
    ]);
    const { faults } = checkFields(fields, '');
    const hints = Object.fromEntries(faults.map(fault => [fault.pointer, fault.hint]));
    expect(hints['/2/patern']).toBe('Did you mean `pattern`?');
    expect(hints['/4/type']).toBe('Did you mean `select`?');
  });

  it('C33: holds a default against every bound of its field', () => {
    const refused: [object, string][] = [
      [{ type: 'number', step: 0.1, default: 0.35 }, 'must be a multiple of 0.1'],
      [{ type: 'number', default: 'x' }, 'must be a number, not a text'],
      [{ type: 'text', max: 3, default: '😀😀😀😀' }, 'must have at most 3 characters'],
      [{ type: 'text', pattern: '^a$', default: 'b' }, 'must match the pattern ^a$'],
      [{ type: 'date', default: '2026-02-30' }, 'must be a date of the calendar, such as 2026-03-04'],
      [{ type: 'date', min: '2026-01-01', default: '2025-12-31' }, 'must be at least 2026-01-01'],
      [{ type: 'boolean', default: null }, 'null is no value; leave the key out to give none'],
      [{ type: 'multiselect', options: ['a', 'b'], min: 1, default: [] }, 'must have at least 1 entry'],
      [{ type: 'select', options: [1, 2], default: '1' }, 'must be one of 1, 2'],
    ];
    for (const [field, why] of refused) {
      const { faults } = checkFields([{ name: 'f', ...field }], '');
      expect(faults.map(fault => [fault.code, fault.message])).toEqual([
        ['DefaultOutOfBounds', `The default is outside its own bounds: it ${why}.`],
      ]);
    }
    expect(faultsOf([{ name: 'f', type: 'checkbox', options: ['a'], default: ['b'] }])).toEqual([
      'DefaultOutOfBounds /fields/0/default/0',
    ]);
  });

  it('C34: asks for quotes where a text is wanted and YAML gave something else', () => {
    const fields = [
      { name: 'version', type: 'text', label: 1.1, default: 10 },
      { name: 'answer', type: 'select', options: ['yes', 'no', 'on', 'off', 'NO', 10, '12:30'] },
      { name: 'day', type: 'date', default: '2026-03-04', placeholder: false },
    ];
    expect(faultsOf(fields)).toEqual([
      'TextWanted /fields/0/label',
      'TextWanted /fields/0/default',
      'TextWanted /fields/1/options/5',
      'TextWanted /fields/2/placeholder',
    ]);
    expect(checkFields(fields, '').faults[0]!.hint).toBe('Quote it, as in "1.10" or "yes".');
    expect(faultsOf([{ name: 'n', type: 'select', options: [1, 2.5] }])).toEqual([]);
  });

  it('asks the expression checker about showIf and puts its faults at their place', () => {
    const checkShowIf = (source: string) =>
      source === 'values.'
        ? [{ code: 'InvalidExpression', severity: 'error' as const, pointer: '', message: 'no', offset: 7 }]
        : [];
    const fields = [
      { name: 'a', type: 'text', showIf: 'values.b' },
      { name: 'b', type: 'text', showIf: 'values.' },
    ];
    expect(checkFields(fields, '/fields', { checkShowIf }).faults).toEqual([
      { code: 'InvalidExpression', severity: 'error', pointer: '/fields/1/showIf', message: 'no', offset: 7 },
    ]);
  });

  it('leaves options that come from an expression to the moment when they are known', () => {
    const seen: string[] = [];
    const checkTemplate = (source: string) => {
      seen.push(source);
      return [];
    };
    const fields = [
      { name: 'genre', type: 'select', options: { cel: 'state.genres' }, default: 'jazz' },
      { name: 'mood', type: 'radio', options: ['calm', { value: 'wild', label: { cel: 'state.wild' } }] },
    ];
    const result = checkFields(fields, '', { checkTemplate });
    expect(result.faults).toEqual([]);
    expect(result.fields.map(field => 'options' in field && field.options)).toEqual([[], []]);
    expect(seen).toEqual(['state.genres', 'state.wild']);
    expect(faultsOf(fields)).toEqual(['InvalidField /fields/0/options', 'InvalidField /fields/1/options/1/label']);
  });

  it('reads local bounds in the zone, and is not stopped by one that does not exist', () => {
    const fields = [{ name: 'at', type: 'datetime', min: '2026-03-01T09:00', max: '2026-03-01T02:00:00Z' }];
    expect(faultsOf(fields, { zone: 'Asia/Taipei' })).toEqual([]);
    expect(faultsOf(fields, { zone: 'Mars/Olympus' })).toEqual(['EmptyRange /fields/0/min']);
  });

  it('takes 50 fields and no more', () => {
    const form = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `f${i}`, type: 'text' }));
    expect(faultsOf(form(50))).toEqual([]);
    expect(faultsOf(form(51))).toEqual(['TooManyFields /fields']);
    expect(faultsOf('name')).toEqual(['InvalidField /fields']);
  });

  it('knows the words that CEL keeps for itself', () => {
    expect(faultsOf([{ name: 'in', type: 'text' }])).toEqual(['InvalidName /fields/0/name']);
    expect(faultsOf([{ name: '審批', type: 'text' }])).toEqual(['InvalidName /fields/0/name']);
    expect(faultsOf([{ name: 'toString', type: 'text' }])).toEqual([]);
  });

  it('refuses more choices than there are options', () => {
    expect(faultsOf([{ name: 'm', type: 'multiselect', options: ['a'], min: 2 }])).toEqual([
      'EmptyRange /fields/0/min',
    ]);
    expect(faultsOf([{ name: 'd', type: 'date', min: '2026-02-02', max: '2026-02-01' }])).toEqual([
      'EmptyRange /fields/0/min',
    ]);
    expect(faultsOf([{ name: 'd', type: 'datetime', min: '2026-02-02' }])).toEqual(['InvalidField /fields/0/min']);
  });
});
