import { checkFields, type Field, isShown, type JsonObject, type JsonValue, validateValue } from '@signalbox/kernel';
import fc from 'fast-check';

/** A form, what is proposed in it, and what a person wants to answer; undefined is no answer. */
export interface FilledForm {
  readonly fields: readonly Field[];
  readonly proposed: JsonObject;
  readonly wanted: ReadonlyMap<string, JsonValue | undefined>;
  readonly zone: string;
}

const WORDS = [
  '',
  'a',
  'ab',
  'AAA',
  '審批單',
  '退款 R-17',
  'naïve',
  '😀😀😀',
  '👩‍💻',
  'a"b\\c',
  '0',
  ' lead',
  'x'.repeat(90),
  '长'.repeat(45),
];
const LINES = [...WORDS, 'one\ntwo', '\n', '一\n\n二\t三', 'trailing\n'];
const NUMBERS = [-1, 0, 0.05, 0.1, 0.15, 0.3, 1, 2, 4.35, 7, 10, 1e-7, 9007199254740990, -123456.75];
const DAYS = ['2026-02-28', '2026-03-01', '2026-12-31', '2024-02-29', '0001-01-01'];
const TIMES = [
  '2026-03-01T10:00:00Z',
  '2026-03-01T23:59:59+08:00',
  '2026-03-01T10:00:00.5-05:00',
  '2026-03-29T02:30',
  '2026-07-01T09:00',
];
const ZONES = ['UTC', 'Asia/Shanghai', 'Europe/Berlin'];

const OPTIONS = fc.oneof(
  fc.constant(['x', 'y', 'z']),
  fc.constant(['值班组', '账务组']),
  fc.constant([1, 2, 2.5]),
  fc.constant([true, false]),
  fc.constant([
    { value: 'x', label: 'Ex', description: 'the one' },
    { value: 'y', label: '选项乙' },
  ]),
  fc.constant(Array.from({ length: 30 }, (_, index) => ({ value: index, label: `Option ${index}` }))),
);

function part(
  types: readonly string[],
  some: Record<string, fc.Arbitrary<unknown>>,
  always = {},
): fc.Arbitrary<JsonObject> {
  const common = { description: fc.constantFrom('why', '说明'), required: fc.boolean() };
  const model = { type: fc.constantFrom(...types), ...common, ...some, ...always };
  return fc.record(model, { requiredKeys: ['type', ...Object.keys(always)] as never[] }) as fc.Arbitrary<JsonObject>;
}

const among = (values: readonly JsonValue[]) => fc.constantFrom(...values);
const between = (values: fc.Arbitrary<unknown>) => ({ min: values, max: values });
const placeholder = fc.constantFrom('such as 3', '例如');

const MEMBER = fc.oneof(
  part(['text'], { ...between(fc.nat(4)), pattern: fc.constantFrom('^a*$', '.'), default: among(WORDS), placeholder }),
  part(['textarea'], { ...between(fc.nat(9)), default: among(LINES), placeholder }),
  part(['number', 'slider'], {
    ...between(among(NUMBERS)),
    step: fc.constantFrom(0.05, 0.1, 1, 2),
    unit: fc.constantFrom('h', '小时'),
    default: among(NUMBERS),
  }),
  part(
    ['slider'],
    { step: fc.constantFrom(0.05, 0.5, 1), default: among([0, 0.5, 1]) },
    { min: among([-1, 0]), max: among([1, 10]) },
  ),
  part(['date'], { ...between(among(DAYS)), default: among(DAYS), placeholder }),
  part(['datetime'], { ...between(among(TIMES)), default: among(TIMES) }),
  part(['boolean', 'checkbox'], { default: fc.boolean() }),
  part(['select', 'radio'], { default: among(['x', 1, true, '值班组']), placeholder }, { options: OPTIONS }),
  part(['multiselect', 'checkbox'], { ...between(fc.nat(3)), default: fc.subarray(['x', 'y']) }, { options: OPTIONS }),
);

const LABELS = ['Amount', '金额', 'Remarks 备注', 'Ünïcödé'];

/** A field of its own, its label unlike all others; it may depend on the fields before it. */
function withName(member: JsonObject, index: number, dependsOn: boolean, before: readonly JsonObject[]): JsonObject {
  const label = `${LABELS[index % LABELS.length]} #${index}.`;
  const last = before.at(-1);
  const condition = last?.type === 'boolean' ? `values.${last.name}` : `has(values.${last?.name})`;
  return { ...member, name: `f${index}`, label, ...(dependsOn && last !== undefined ? { showIf: condition } : {}) };
}

const FORM = fc
  .array(fc.tuple(MEMBER, fc.boolean()), { minLength: 1, maxLength: 8 })
  .map(members => {
    const fields: JsonObject[] = [];
    for (const [member, dependsOn] of members) {
      const field = withName(member, fields.length, dependsOn, fields);
      if (checkFields([field], '').faults.length === 0) fields.push(field);
    }
    return fields;
  })
  .filter(fields => fields.length > 0);

/** Values that a field takes, in which every type finds some. */
function fitting(field: Field, zone: string): fc.Arbitrary<JsonValue>[] {
  const options = 'options' in field ? (field.options ?? []).map(({ value }) => value) : [];
  const candidates: JsonValue[] = [
    ...(field.type === 'textarea' ? LINES : WORDS),
    ...NUMBERS,
    ...DAYS,
    ...TIMES,
    true,
    false,
    ...options,
  ];
  const single = candidates.filter(value => validateValue(field, value, '', zone).length === 0);
  const isFit = (value: JsonValue) => validateValue(field, value, '', zone).length === 0;
  // A long list may have bounds that few of its parts meet: the beginnings of the list are tried as well.
  const beginnings = options.map((_, count) => options.slice(0, count)).filter(isFit);
  return [
    ...(single.length === 0 ? [] : [among(single)]),
    ...(beginnings.length === 0 ? [] : [fc.subarray(options).filter(isFit), among(beginnings)]),
  ];
}

/** What a person may answer to a field: a value that fits; nothing, where that is allowed. */
function wantedFor(field: Field, zone: string): fc.Arbitrary<JsonValue | undefined> | undefined {
  const values = fitting(field, zone);
  const none = field.required ? [] : [fc.constant(undefined)];
  const choices = [...values, ...none];
  return choices.length === 0 ? undefined : fc.oneof(...choices);
}

export const filledForm: fc.Arbitrary<FilledForm> = fc
  .tuple(FORM, fc.constantFrom(...ZONES))
  .map(([written, zone]) => ({ fields: checkFields(written, '', { zone }).fields, zone }))
  .filter(({ fields, zone }) => fields.every(field => wantedFor(field, zone) !== undefined))
  .chain(({ fields, zone }) => {
    const wanted = fc.tuple(...fields.map(field => wantedFor(field, zone)!));
    const proposed = fc.tuple(
      ...fields.map(field =>
        fc.option(fc.oneof(...(fitting(field, zone).length === 0 ? [fc.constant(undefined)] : fitting(field, zone))), {
          nil: undefined,
          freq: 2,
        }),
      ),
    );
    return fc.tuple(wanted, proposed).map(([values, proposals]) => ({
      fields,
      zone,
      proposed: present(fields, proposals),
      wanted: new Map(fields.map((field, index) => [field.name, values[index]])),
    }));
  });

function present(fields: readonly Field[], values: readonly (JsonValue | undefined)[]): JsonObject {
  const entries = fields.flatMap((field, index): [string, JsonValue][] => {
    const value = values[index];
    return value === undefined ? [] : [[field.name, value]];
  });
  return Object.fromEntries(entries);
}

/** The fields that are asked for when somebody answers so, each with the value. */
export function askedFor({ fields, wanted }: FilledForm): [Field, JsonValue | undefined][] {
  const seen: JsonObject = {};
  return fields.flatMap((field): [Field, JsonValue | undefined][] => {
    if (!isShown(field, seen)) return [];
    const value = wanted.get(field.name);
    const counts = value ?? field.default;
    if (counts !== undefined) Object.assign(seen, { [field.name]: counts });
    return [[field, value]];
  });
}
