import { _, type CodeKeywordDefinition, type FuncKeywordDefinition } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { formatLimitDefinition } from 'ajv-formats/dist/limit.js';
import { canonicalJson } from '../json/canonical.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { isMultipleOf } from '../request/decimal.ts';
import { mentions } from './copy-json.ts';
import { FORMATS } from './formats.ts';
import { createIssue, type Issue } from './issue.ts';
import { issuesFromAjv } from './issues-from-ajv.ts';
import { COUNTED, markedSchema, TRACKED } from './marked-schema.ts';
import { compilePattern } from './pattern.ts';
import { hasOwnBase } from './refs.ts';
import { countStep, MOST_STEPS, withinSteps } from './steps.ts';

/** ajv divides in binary and takes 4.35 for no multiple of 0.01. */
const MULTIPLE_OF: FuncKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  compile: (step: number) => (value: number) => isMultipleOf(value, step),
  error: { message: 'must be a multiple', params: ({ schemaCode }) => _`{ multipleOf: ${schemaCode} }` },
};

/** ajv holds every item against every other one, which of a hundred thousand takes minutes. */
const UNIQUE_ITEMS: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  compile: (wanted: boolean) => (items: readonly JsonValue[]) => !wanted || isUnique(items),
};

function isUnique(items: readonly JsonValue[]): boolean {
  return new Set(items.map(textOf)).size === items.length;
}

/** Equal for equal values and for no others, also where a value is none that JSON could hold. */
function textOf(value: JsonValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`;
  const object = value as JsonObject;
  const members = Object.keys(object).sort();
  return `{${members.map(key => `${JSON.stringify(key)}:${textOf(object[key]!)}`).join(',')}}`;
}

const COUNT: CodeKeywordDefinition = {
  keyword: COUNTED,
  before: '$ref',
  code: ({ gen }) => {
    gen.code(_`${gen.scopeValue('func', { ref: countStep })}()`);
  },
};

/** ajv declares what a schema has evaluated within the first branch that evaluates something, which may never run. */
const TRACK: CodeKeywordDefinition = {
  keyword: TRACKED,
  before: '$ref',
  code: ({ gen, it }) => {
    it.props ??= gen.var('props', _`{}`);
    it.items ??= gen.var('items', _`0`);
  },
};

/**
 * - The meta-schema is left out: it costs 35 ms at first use, and `checkJsonSchema` says the same more clearly.
 * - `ownProperties`: a key that an object merely inherits (`toString`) is not there.
 * - `verbose`: issues are worded from the data and the schema around them.
 * - `tracking`: for `unevaluatedProperties` and `unevaluatedItems`. There the optimizer would drop what is declared in
 *   branches that never run and used behind them.
 */
function createAjv(tracking: boolean): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    strictNumbers: true,
    allErrors: true,
    ownProperties: true,
    useDefaults: true,
    verbose: true,
    messages: false,
    logger: false,
    meta: false,
    validateSchema: false,
    code: { optimize: !tracking, regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
    formats: { ...FORMATS },
  });
  ajv.removeKeyword('multipleOf');
  ajv.addKeyword(MULTIPLE_OF);
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword(UNIQUE_ITEMS);
  ajv.addKeyword(formatLimitDefinition);
  ajv.addKeyword(COUNT);
  ajv.addKeyword(TRACK);
  ajv.opts.unevaluated = tracking;
  return ajv;
}

/** What is wrong with a value; undefined where it fits. Applies defaults to it, so give it a copy. */
export type Check = (value: JsonValue) => readonly Issue[] | undefined;

const MOST_KEPT = 2000;
const kept = new Map<string, Check>();
const shared = new Map<boolean, Ajv2020>();

/**
 * Compiles a schema that `checkJsonSchema` found right; about 2 ms, then free for every schema of the same content.
 * Throws an `Error` where a `$ref` leads nowhere.
 */
export function compileWithAjv(schema: JsonObject): Check {
  const text = canonicalJson(schema);
  const known = kept.get(text);
  if (known !== undefined) return known;
  const check = compile(schema);
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(text, check);
  return check;
}

function compile(schema: JsonObject): Check {
  const tracking = mentions(schema, 'unevaluatedProperties') || mentions(schema, 'unevaluatedItems');
  // What `$id` names below a root stays known to an ajv for good, and would mean something in other schemas.
  const ajv = hasOwnBase(schema) ? createAjv(tracking) : sharedAjv(tracking);
  const marked = markedSchema(schema, tracking);
  try {
    const validate = ajv.compile<JsonValue>(marked);
    return value => {
      const fits = withinSteps(value, () => validate(value));
      if (fits === undefined) return TOO_MANY_STEPS;
      return fits ? undefined : issuesFromAjv(validate.errors ?? []);
    };
  } finally {
    ajv.removeSchema(marked);
  }
}

function sharedAjv(tracking: boolean): Ajv2020 {
  const ajv = shared.get(tracking) ?? createAjv(tracking);
  shared.set(tracking, ajv);
  return ajv;
}

const TOO_MANY_STEPS: readonly Issue[] = [createIssue('', 'tooManySteps', { limit: MOST_STEPS })];
