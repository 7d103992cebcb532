import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { SignalboxError } from '../error/error.ts';
import { pointerTo } from '../error/fault.ts';
import { toJsonValue } from '../json/to-json-value.ts';
import { hasKey, isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { checkSchemaShape } from './check-json-schema.ts';
import { closest } from './closest.ts';
import { copyJson } from './copy-json.ts';
import { createIssue, type Issue } from './issue.ts';
import { compileJsonSchema } from './json-schema.ts';
import type { Validation, Validator } from './validator.ts';

/**
 * Makes a schema of a library (zod 4.2 and later, or any other with Standard Schema and Standard JSON Schema) ready for
 * use. `json` is the JSON Schema of what it takes in, `stored` of what comes out; both differ where it transforms.
 *
 * What comes *out* is stored, so defaults and transforms take effect. A key of the input that is missing at the same
 * place of the output is an `unknownKey`, not silently gone; a transform that renames keys must therefore give something
 * other than an object there, or be written as a step of the graph. Output that is no JSON value is `notJson`.
 *
 * @throws SignalboxError `SchemaWithoutJson` when the library cannot say it in JSON Schema, `AsyncSchema` (here, or from
 *   `validate` where only a part of the schema is asynchronous).
 */
export function fromStandardSchema(schema: StandardSchemaV1): Validator {
  refuseAsync(schema);
  const json = inputJson(schema);
  return new LibraryValidator(schema, json, outputJson(schema));
}

class LibraryValidator implements Validator {
  readonly json: JsonObject;
  readonly stored: JsonObject;
  private readonly schema: StandardSchemaV1;
  private twin: Validator | undefined;

  constructor(schema: StandardSchemaV1, json: JsonObject, stored: JsonObject) {
    this.schema = schema;
    this.json = json;
    this.stored = stored;
  }

  validate(value: JsonValue): Validation {
    const result = validateNow(this.schema, copyJson(value));
    if (result.issues !== undefined) return { ok: false, issues: this.translate(result.issues, value) };
    if (result.value === value && typeof value !== 'object') return { ok: true, value };
    const output = toJsonValue(result.value);
    if (!output.ok)
      return { ok: false, issues: [{ ...createIssue(output.pointer, 'notJson'), message: `is ${output.message}` }] };
    if (keepsKeys(value, output.value)) return { ok: true, value: output.value };
    return { ok: false, issues: droppedKeys(value, output.value, '') };
  }

  /** The library's own words, which may be the author's; codes and bounds from the JSON Schema where it finds the same place. */
  private translate(found: readonly StandardSchemaV1.Issue[], value: JsonValue): Issue[] {
    const ours = this.validateTwin(value);
    return found.flatMap(issue => {
      const pointer = pointerOf(issue.path ?? []);
      const unknown = unrecognizedKeys(issue);
      if (unknown.length > 0) return unknown.map(key => createIssue(pointerTo(pointer, key), 'unknownKey'));
      const same = ours.find(one => one.pointer === pointer);
      if (same?.code === 'required') return [same];
      return [{ ...(same ?? { pointer, code: 'invalid' }), message: issue.message }];
    });
  }

  /** None where the JSON Schema cannot be compiled, for a pattern that no linear engine runs. */
  private validateTwin(value: JsonValue): readonly Issue[] {
    if (checkSchemaShape(this.json, '').some(fault => fault.severity === 'error')) return [];
    this.twin ??= compileJsonSchema(this.json);
    const result = this.twin.validate(value);
    return result.ok ? [] : result.issues;
  }
}

function validateNow(schema: StandardSchemaV1, value: unknown): StandardSchemaV1.Result<unknown> {
  const result = schema['~standard'].validate(value);
  if (!('then' in result)) return result;
  // The refusal below is the answer; what the promise comes to would otherwise end the process as an unhandled rejection.
  result.then(undefined, () => undefined);
  throw new SignalboxError('AsyncSchema', 'An asynchronous schema cannot be used: its verdict must be there at once.', {
    hint: 'Do the asynchronous check in a step of the graph.',
  });
}

/** Finds a schema that is asynchronous throughout while it is defined. A schema may throw at nonsense, which says nothing. */
function refuseAsync(schema: StandardSchemaV1): void {
  try {
    validateNow(schema, undefined);
  } catch (error) {
    if (error instanceof SignalboxError) throw error;
  }
}

function converterOf(schema: StandardSchemaV1): StandardJSONSchemaV1.Converter | undefined {
  const standard: StandardSchemaV1.Props & Partial<StandardJSONSchemaV1.Props> = schema['~standard'];
  return standard.jsonSchema;
}

const TARGET = { target: 'draft-2020-12' };

function inputJson(schema: StandardSchemaV1): JsonObject {
  const hint = 'Use a library with Standard JSON Schema (zod 4.2 or later), or write the JSON Schema itself.';
  const { vendor } = schema['~standard'];
  const converter = converterOf(schema);
  if (converter === undefined) {
    throw new SignalboxError('SchemaWithoutJson', `The schema of ${vendor} cannot give its JSON Schema.`, { hint });
  }
  try {
    return asJsonObject(converter.input(TARGET));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `The schema of ${vendor} cannot be said in JSON Schema: ${why}.`;
    throw new SignalboxError('SchemaWithoutJson', message, {
      hint: 'Values are JSON only; give dates as texts.',
      cause,
    });
  }
}

/** Where a transform hides what comes out, as much as the library can say; `{}` (anything) at the worst. */
function outputJson(schema: StandardSchemaV1): JsonObject {
  const converter = converterOf(schema);
  for (const options of [TARGET, { ...TARGET, libraryOptions: { unrepresentable: 'any' } }]) {
    try {
      if (converter !== undefined) return asJsonObject(converter.output(options));
    } catch {
      // The next attempt asks for less.
    }
  }
  return {};
}

function asJsonObject(schema: Record<string, unknown>): JsonObject {
  const result = toJsonValue(schema);
  return result.ok && isJsonObject(result.value) ? result.value : {};
}

/** zod gives one issue at the object for all its unknown keys. */
function unrecognizedKeys(issue: StandardSchemaV1.Issue): string[] {
  if (!('code' in issue && issue.code === 'unrecognized_keys' && 'keys' in issue && Array.isArray(issue.keys)))
    return [];
  return issue.keys.map(String);
}

function pointerOf(path: readonly (PropertyKey | StandardSchemaV1.PathSegment)[]): string {
  return path.reduce<string>((pointer, part) => {
    const key = typeof part === 'object' ? part.key : part;
    return pointerTo(pointer, String(key));
  }, '');
}

/** Whether `droppedKeys` would find none: nearly always so, and then no pointer is made. */
function keepsKeys(input: JsonValue, output: JsonValue): boolean {
  if (input === output || typeof input !== 'object' || input === null) return true;
  if (Array.isArray(input)) {
    if (!Array.isArray(output) || output.length !== input.length) return true;
    for (let index = 0; index < input.length; index += 1) if (!keepsKeys(input[index]!, output[index]!)) return false;
    return true;
  }
  if (!isJsonObject(input) || !isJsonObject(output)) return true;
  for (const key of Object.keys(input)) if (!hasKey(output, key) || !keepsKeys(input[key]!, output[key]!)) return false;
  return true;
}

function droppedKeys(input: JsonValue, output: JsonValue, pointer: string): Issue[] {
  if (Array.isArray(input)) {
    if (!Array.isArray(output) || output.length !== input.length) return [];
    return input.flatMap((item: JsonValue, index) => droppedKeys(item, output[index]!, pointerTo(pointer, index)));
  }
  if (!isJsonObject(input) || !isJsonObject(output)) return [];
  return Object.entries(input).flatMap(([key, member]) => {
    const place = pointerTo(pointer, key);
    if (hasKey(output, key)) return droppedKeys(member, output[key]!, place);
    const suggestion = closest(
      key,
      Object.keys(output).filter(known => !hasKey(input, known)),
    );
    return [createIssue(place, 'unknownKey', suggestion === undefined ? {} : { suggestion })];
  });
}
