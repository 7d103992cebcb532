import { hasKey, isJsonObject, type JsonObject, type JsonValue } from '../../json/value.ts';
import { mentions } from '../copy-json.ts';
import { KEYWORDS } from '../keywords.ts';
import { normalizedSchema } from '../normalize.ts';
import { findRef, hasOwnBase } from '../refs.ts';

/** A schema as the constraints that must all hold: itself without `allOf`, and what stood under it. `[]` lets all through. */
export type Parts = readonly JsonObject[];

/** Lets nothing through. */
export const NEVER: JsonObject = { enum: [] };

/** References may multiply what they lead to. */
const MOST_SCHEMAS = 20_000;

/**
 * A schema with every reference replaced by what it leads to, in its normalized form. Undefined where that cannot be
 * done, or where defaults act in a way that is not followed here: a reference into itself, `$id`, `$dynamicRef`,
 * defaults below a choice.
 */
export function prepare(schema: JsonObject): JsonValue | undefined {
  if (hasOwnBase(schema) || ['$dynamicRef', '$recursiveRef', '$anchor'].some(key => mentions(schema, key)))
    return undefined;
  const replaced = new References(schema).replace(schema, []);
  return replaced === undefined || hasDefaultBelowChoice(replaced, false) ? undefined : replaced;
}

class References {
  readonly #root: JsonObject;
  #schemas = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  replace(schema: JsonValue, around: readonly string[]): JsonValue | undefined {
    if (!isJsonObject(schema)) return schema;
    this.#schemas++;
    if (this.#schemas > MOST_SCHEMAS) return undefined;
    const { $ref: ref, $defs: _defs, definitions: _definitions, ...own } = withDependents(schema);
    const members: [string, JsonValue][] = [];
    for (const [keyword, value] of Object.entries(own)) {
      const replaced = this.#within(keyword, value, around);
      if (replaced === undefined) return undefined;
      members.push([keyword, replaced]);
    }
    const replaced = withNull(Object.fromEntries(members));
    if (typeof ref !== 'string') return normalizedSchema(replaced);
    const target = around.includes(ref) ? undefined : findRef(this.#root, ref);
    const meant = target === undefined ? undefined : this.replace(target, [...around, ref]);
    if (meant === undefined) return undefined;
    const others = Array.isArray(replaced.allOf) ? replaced.allOf : [];
    return { ...normalizedSchema(replaced), allOf: [meant, ...others] };
  }

  #within(keyword: string, value: JsonValue, around: readonly string[]): JsonValue | undefined {
    switch (KEYWORDS.get(keyword)) {
      case 'schema':
        return this.replace(value, around);
      case 'schemaList':
        return Array.isArray(value) ? allOf(value.map(schema => this.replace(schema, around))) : value;
      case 'schemaByKey':
      case 'schemaByPattern': {
        if (!isJsonObject(value)) return value;
        const schemas = allOf(Object.values(value).map(schema => this.replace(schema, around)));
        return schemas && Object.fromEntries(Object.keys(value).map((key, index) => [key, schemas[index]!]));
      }
      default:
        return value;
    }
  }
}

function allOf(schemas: readonly (JsonValue | undefined)[]): JsonValue[] | undefined {
  return schemas.every(schema => schema !== undefined) ? [...schemas] : undefined;
}

/** The older `dependencies`, in the words of today. */
function withDependents({ dependencies, ...schema }: JsonObject): JsonObject {
  if (!isJsonObject(dependencies)) return schema;
  const entries = Object.entries(dependencies);
  const dependents = {
    dependentRequired: Object.fromEntries(entries.filter(([, of]) => Array.isArray(of))),
    dependentSchemas: Object.fromEntries(entries.filter(([, of]) => !Array.isArray(of))),
  };
  const others = Array.isArray(schema.allOf) ? (schema.allOf as readonly JsonValue[]) : [];
  const added = Object.entries(dependents).flatMap(([key, of]) =>
    Object.keys(of).length === 0 ? [] : [{ [key]: of }],
  );
  return { ...schema, allOf: [...others, ...added] };
}

/** `nullable` beside a type is understood by the validator. */
function withNull(schema: JsonObject): JsonObject {
  const { nullable, ...rest } = schema;
  if (nullable !== true || rest.type === undefined) return rest;
  const types = Array.isArray(rest.type) ? rest.type : [rest.type];
  return { ...rest, type: [...new Set([...types, 'null'])] };
}

const CHOICES: ReadonlySet<string> = new Set([
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'dependentSchemas',
]);

/** Whether a default fills anything in there depends on how the validator goes about a choice. */
function hasDefaultBelowChoice(value: JsonValue, below: boolean): boolean {
  if (Array.isArray(value)) return value.some(item => hasDefaultBelowChoice(item, below));
  if (!isJsonObject(value)) return false;
  if (below && hasKey(value, 'default')) return true;
  return Object.entries(value).some(([key, member]) => hasDefaultBelowChoice(member, below || CHOICES.has(key)));
}

export function partsOf(schema: JsonValue | undefined): Parts {
  if (schema === false) return [NEVER];
  if (!isJsonObject(schema ?? true)) return [];
  const { allOf: others, ...own } = schema as JsonObject;
  const parts = Array.isArray(others) ? others.flatMap(partsOf) : [];
  return Object.keys(own).length === 0 ? parts : [own, ...parts];
}
