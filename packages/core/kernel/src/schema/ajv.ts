import { _, type FuncKeywordDefinition } from 'ajv';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { formatLimitDefinition } from 'ajv-formats/dist/limit.js';
import { canonicalJson } from '../json/canonical.ts';
import type { JsonObject } from '../json/value.ts';
import { isMultipleOf } from '../request/decimal.ts';
import { FORMATS } from './formats.ts';
import { compilePattern } from './pattern.ts';

/** ajv divides in binary and takes 4.35 for no multiple of 0.01. */
const MULTIPLE_OF: FuncKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  compile: (step: number) => (value: number) => isMultipleOf(value, step),
  error: { message: 'must be a multiple', params: ({ schemaCode }) => _`{ multipleOf: ${schemaCode} }` },
};

/**
 * - The meta-schema is left out: it costs 35 ms at first use, and `checkJsonSchema` says the same more clearly.
 * - `ownProperties`: a key that an object merely inherits (`toString`) is not there.
 * - `verbose`: issues are worded from the data and the schema around them.
 */
function createAjv(): Ajv2020 {
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
    addUsedSchema: false,
    code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
    formats: { ...FORMATS },
  });
  ajv.removeKeyword('multipleOf');
  ajv.addKeyword(MULTIPLE_OF);
  ajv.addKeyword(formatLimitDefinition);
  return ajv;
}

const MOST_KEPT = 2000;
const kept = new Map<string, ValidateFunction>();
let shared: Ajv2020 | undefined;

/**
 * Compiles a schema that `checkJsonSchema` found right; about 2 ms, then free for every schema of the same content.
 * Applies defaults to the value it is given, so give it a copy. Throws an `Error` where a `$ref` leads nowhere.
 */
export function compileWithAjv(schema: JsonObject): ValidateFunction {
  const text = canonicalJson(schema);
  const known = kept.get(text);
  if (known !== undefined) return known;
  shared ??= createAjv();
  const { $schema: _dialect, ...used } = schema;
  try {
    const compiled = shared.compile(used);
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(text, compiled);
    return compiled;
  } finally {
    shared.removeSchema(used);
  }
}
