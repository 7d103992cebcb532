import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { REFERENCES } from './check-references.ts';
import { KEYWORDS } from './keywords.ts';
import { hasInnerBase } from './refs.ts';

/** Beside a reference: entering it counts as a step. */
export const COUNTED = 'signalbox:counted';
/** In every schema: what it has evaluated is followed from its beginning. */
export const TRACKED = 'signalbox:tracked';

/**
 * A copy for the code that is generated, with our marks in each schema; what it accepts is the same. Where no part has a
 * base of its own, `$dynamicRef` and `$recursiveRef` lead where `$ref` does and are written so: ajv knows them in part.
 */
export function markedSchema(schema: JsonObject, tracked: boolean): JsonObject {
  const { $schema: _dialect, ...used } = schema;
  return new Marker(tracked, !hasInnerBase(schema)).marked(used);
}

class Marker {
  readonly #tracked: boolean;
  readonly #isOneResource: boolean;

  constructor(tracked: boolean, isOneResource: boolean) {
    this.#tracked = tracked;
    this.#isOneResource = isOneResource;
  }

  marked(schema: JsonObject): JsonObject {
    const members = Object.entries(this.#isOneResource ? withPlainRefs(schema) : schema);
    const refers = members.some(([keyword]) => REFERENCES.includes(keyword));
    return {
      ...Object.fromEntries(members.map(([keyword, value]) => [keyword, this.#within(keyword, value)])),
      ...(refers ? { [COUNTED]: true } : {}),
      ...(this.#tracked ? { [TRACKED]: true } : {}),
    };
  }

  #within(keyword: string, value: JsonValue): JsonValue {
    switch (KEYWORDS.get(keyword)) {
      case 'schema':
      case 'schemaList':
        return this.#schemasIn(value);
      case 'schemaByKey':
      case 'schemaByPattern':
      case 'dependencies':
        return isJsonObject(value) ? this.#byName(value) : value;
      case undefined:
        return this.#schemasIn(value);
      default:
        return value;
    }
  }

  /** Under a keyword that is not known may stand a schema that a reference leads to. */
  #schemasIn(value: JsonValue): JsonValue {
    if (Array.isArray(value)) return value.map(item => this.#schemasIn(item));
    return isJsonObject(value) ? this.marked(value) : value;
  }

  #byName(schemas: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, this.#schemasIn(schema)]));
  }
}

/** Behind what `allOf` holds already, so that pointers into it lead where they led. */
function withPlainRefs(schema: JsonObject): JsonObject {
  const { $dynamicRef, $recursiveRef, ...rest } = schema;
  const refs = [$dynamicRef, $recursiveRef].filter(ref => typeof ref === 'string');
  if (refs.length === 0) return schema;
  const others = Array.isArray(rest.allOf) ? (rest.allOf as readonly JsonValue[]) : [];
  return { ...rest, allOf: [...others, ...refs.map($ref => ({ $ref }))] };
}
