import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStrictJson } from '../json/strict-json.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import type { Judgement } from './judgement.ts';
import { contractOf, judge } from './testing/contract.ts';
import { unexplained } from './testing/explained.ts';

const INPUT: JsonObject = {
  type: 'object',
  required: ['order', 'qty'],
  additionalProperties: false,
  properties: {
    order: { type: 'string', maxLength: 8 },
    qty: { type: 'integer', minimum: 1, maximum: 9 },
    price: { type: 'number' },
    paid: { type: 'boolean' },
    tags: { type: 'array', items: { enum: ['red', 'green'] } },
    meta: { type: 'object', properties: { due: { type: 'string', format: 'date' } } },
    limit: { type: 'integer', default: 10 },
  },
};
const CONTRACT = contractOf({ order: { input_schema: INPUT } });
const { validate } = (tool => ({ validate: (value: JsonValue) => tool.input.validate(value) }))(
  CONTRACT.tools.get('order')!,
);

/** Mostly what fits, sometimes what can be read, rarely what cannot. */
function field(fits: fc.Arbitrary<JsonValue>, readable: readonly JsonValue[], not: fc.Arbitrary<JsonValue>) {
  return fc.oneof(
    { weight: 12, arbitrary: fits },
    { weight: 4, arbitrary: readable.length === 0 ? fits : fc.constantFrom(...readable) },
    { weight: 1, arbitrary: not },
  );
}

const near = fc.record(
  {
    order: field(fc.string({ maxLength: 8 }), [], fc.oneof(fc.integer(), fc.string({ minLength: 9 }))),
    qty: field(
      fc.integer({ min: 1, max: 9 }),
      ['5', ' ５ ', '5.0', '+7'],
      fc.constantFrom('1,234', 'five', null, 12, []),
    ),
    price: field(
      fc.double({ min: -1e9, max: 1e9, noNaN: true }),
      ['0.5', '1,234.56', '-.5'],
      fc.constantFrom('$5', '1e400', true),
    ),
    paid: field(fc.boolean(), ['yes', '否', 'FALSE', null], fc.constantFrom('maybe', 1)),
    tags: field(
      fc.array(fc.constantFrom('red', 'green'), { maxLength: 3 }),
      [['red', 'GREEN'], '["red"]', '["RED"]', [' red ']],
      fc.constantFrom('red', '["RED"', ['blue'], [null]),
    ),
    meta: field(
      fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<JsonValue>, { maxKeys: 2 }),
      [{ due: '2026/3/4' }, '{"due":"2026年3月4日","other":[1]}', { due: '25/12/2026' }],
      fc.constantFrom({ due: '03/04/2026' }, { due: '2026-02-30' }, { due: 7 }, '{"due":'),
    ),
    limit: field(fc.integer(), ['10'], fc.constant(null)),
  },
  { requiredKeys: ['order', 'qty'] },
);

const written = fc.oneof(
  { weight: 20, arbitrary: near.map(args => JSON.stringify(args)) },
  { weight: 1, arbitrary: near.map(args => JSON.stringify(JSON.stringify(args))) },
  { weight: 1, arbitrary: fc.jsonValue().map(args => JSON.stringify(args)) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
);

type Damage = (text: string, at: number) => string;
const damage = fc.constantFrom<Damage>(
  text => text,
  text => text,
  (text, at) => text.slice(0, at),
  (text, at) => text.slice(at),
  text => text + text,
  (text, at) => text.slice(0, at) + text,
  text => text.replace(/\d+/, digits => digits.repeat(30)),
  text => text.replace(/"(?=[:,}])/, ''),
  text => text.replaceAll('"', "'"),
  text => `\`\`\`json\n${text}\n\`\`\``,
  (text, at) => `${text.slice(0, at)}\u0000${text.slice(at)}`,
  (text, at) => `${text.slice(0, at)}\ud83d${text.slice(at)}`,
  (text, at) => `${text.slice(0, at)}"\\u0000"${text.slice(at)}`,
  (text, at) => `${text.slice(0, at)}\u202e\u3000${text.slice(at)}`,
  text => text.replace('{', '{"order":"other",'),
  text => text.replace('{', '{"__proto__":{},'),
  text => text.replaceAll(/[{}]/g, brace => brace.repeat(20)),
);
const rawText = fc
  .tuple(written, damage, fc.nat())
  .map(([text, change, at]) => change(text, text.length === 0 ? 0 : at % text.length));

function namedIn({ stages }: Judgement): Set<string> {
  return new Set(stages.flatMap(stage => stage.changes ?? []).map(change => change.pointer));
}

describe('the gate', () => {
  it('given any text at all either refuses, or lets through what was read, apart from the changes that it names, and the same again the second time', () => {
    const seen = { ready: 0, changed: 0, refused: 0 };
    fc.assert(
      fc.property(rawText, text => {
        const judgement = judge(CONTRACT, 'order', text);
        if (judgement.verdict === 'refused') {
          expect(judgement.stages.at(-1)).toMatchObject({ outcome: 'refused', code: judgement.refusal.code });
          seen.refused++;
          return;
        }
        const named = namedIn(judgement);
        expect(unexplained(parseStrictJson(text), judgement.args, named)).toEqual([]);
        expect(validate(judgement.args)).toEqual({ ok: true, value: judgement.args });
        const again = judge(CONTRACT, 'order', JSON.stringify(judgement.args));
        expect(again).toMatchObject({ verdict: 'ready', args: judgement.args, subject: judgement.subject });
        if (named.size > (named.has('/limit') ? 1 : 0)) seen.changed++;
        else seen.ready++;
      }),
      { numRuns: 5000 },
    );
    expect(Math.min(seen.ready, seen.changed, seen.refused)).toBeGreaterThan(50);
  });

  it('agrees with a judge that knows types and nothing else, on arguments that need no normalization', () => {
    const seen = { ready: 0, refused: 0 };
    fc.assert(
      fc.property(plainArguments, args => {
        const judgement = judge(CONTRACT, 'order', args);
        const strict = strictly(args);
        expect([judgement.verdict, judgement.stages[2]?.outcome]).toEqual([strict ? 'ready' : 'refused', 'passed']);
        if (judgement.verdict === 'ready') expect(judgement.args).toEqual({ limit: 10, ...args });
        seen[strict ? 'ready' : 'refused']++;
      }),
      { numRuns: 2000 },
    );
    expect(Math.min(seen.ready, seen.refused)).toBeGreaterThan(100);
  });
});

/** Texts stand only where a text is declared, and null nowhere: nothing here has another reading. */
const noText = fc.oneof(
  fc.integer({ min: -20, max: 20 }),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: 0.5, max: 1e9 }),
  fc.boolean(),
);
const plainArguments = fc.record<Record<string, JsonValue>>(
  {
    order: fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom('R-17', '审批', '😀😀😀😀😀😀😀😀', 'far too long') },
      noText,
    ),
    qty: fc.oneof({ weight: 20, arbitrary: fc.integer({ min: 0, max: 10 }) }, noText),
    price: fc.oneof({ weight: 20, arbitrary: noText.filter(value => typeof value === 'number') }, fc.boolean()),
    paid: fc.oneof({ weight: 20, arbitrary: fc.boolean() }, noText),
    tags: fc.oneof(
      { weight: 20, arbitrary: fc.array(fc.constantFrom('red', 'green'), { maxLength: 3 }) },
      fc.array(fc.constantFrom('blue', 'redder'), { minLength: 1, maxLength: 2 }),
    ),
    meta: fc.constantFrom<JsonValue>({}, { due: '2026-03-04' }, { other: 'x' }, { due: '2026-02-30' }, 4),
  },
  { requiredKeys: ['order', 'qty'] },
) as fc.Arbitrary<JsonObject>;

function strictly(args: JsonObject): boolean {
  const { order, qty, price = 0, paid = true, tags = [], meta = {} } = args;
  return (
    typeof order === 'string' &&
    [...order].length <= 8 &&
    Number.isInteger(qty) &&
    (qty as number) >= 1 &&
    (qty as number) <= 9 &&
    typeof price === 'number' &&
    typeof paid === 'boolean' &&
    (tags as JsonValue[]).every(tag => tag === 'red' || tag === 'green') &&
    isJsonObject(meta) &&
    meta.due !== '2026-02-30'
  );
}
