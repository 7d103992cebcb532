import { SignalboxError } from '../error/error.ts';
import type { Fault } from '../error/fault.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { type Check, compileWithAjv } from './ajv.ts';
import { checkSchemaShape } from './check-json-schema.ts';
import { copyJson, mentions } from './copy-json.ts';
import type { Validation, Validator } from './validator.ts';

/**
 * Makes a JSON Schema 2020-12 ready for use. Cheap at once: code is generated at the first `validate` only.
 * A `default` of an object's property stands in for an absent key, in a copy. Lengths count code points, `multipleOf`
 * is decimal, patterns run in linear time, dates are of the calendar. Keys outside `properties` pass unless
 * `additionalProperties` says otherwise; none is ever dropped. Types are never coerced.
 *
 * @throws SignalboxError `InvalidSchema` with the faults in `details`; `checkJsonSchema` finds them without throwing.
 */
export function compileJsonSchema(schema: JsonObject): Validator {
  const faults = checkSchemaShape(schema, '').filter(fault => fault.severity === 'error');
  if (faults.length > 0) throw invalidSchema(faults);
  return new JsonSchemaValidator(schema);
}

/** The same of a schema that `checkJsonSchema` found right before, without looking again. */
export function checkedJsonSchema(schema: JsonObject): Validator {
  return new JsonSchemaValidator(schema);
}

class JsonSchemaValidator implements Validator {
  readonly json: JsonObject;
  private hasDefaults = false;
  private check: Check | undefined;

  constructor(schema: JsonObject) {
    this.json = schema;
  }

  get stored(): JsonObject {
    return this.json;
  }

  validate(value: JsonValue): Validation {
    if (this.check === undefined) {
      this.hasDefaults = mentions(this.json, 'default');
      this.check = compileWithAjv(this.json);
    }
    const result = this.hasDefaults ? copyJson(value) : value;
    const issues = this.check(result);
    return issues === undefined ? { ok: true, value: result } : { ok: false, issues };
  }
}

function invalidSchema(faults: readonly Fault[]): SignalboxError {
  const [first] = faults;
  return new SignalboxError('InvalidSchema', `This is no valid schema: ${first!.message} (${first!.pointer || '/'}).`, {
    ...(first!.hint === undefined ? {} : { hint: first!.hint }),
    details: { faults: faults.map(({ code, pointer, message }) => ({ code, pointer, message })) },
  });
}
