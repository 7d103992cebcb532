import { isJsonObject, type JsonObject, type JsonValue } from '../../json/value.ts';
import { compileJsonSchema } from '../../schema/json-schema.ts';
import { compilePattern } from '../../schema/pattern.ts';
import { findRef, HARMLESS_RULE, hasOwnBase } from '../../schema/refs.ts';
import type { Validator } from '../../schema/validator.ts';
import type { ValuePlan } from './value-plan.ts';

/**
 * Reads a schema for what it declares place by place: `$ref` and `allOf` are followed, a choice between one form and null is
 * that form. Of conditions (`if`, `not`, `dependentSchemas`, `contains`) nothing is taken: they declare no type.
 * Places are planned when they are first looked at, so that a schema that refers to itself ends.
 */
export function planValue(root: JsonObject): ValuePlan {
  return new Planner(root).plan([root]);
}

interface Gathered {
  readonly schemas: readonly JsonObject[];
  readonly choices: readonly (readonly JsonObject[])[];
  readonly nullable: boolean;
}

const NOTHING: Gathered = { schemas: [], choices: [], nullable: false };

class Planner {
  readonly #root: JsonObject;
  readonly #ownBase: boolean;
  readonly #ids = new WeakMap<JsonObject, number>();
  readonly #plans = new Map<string, ValuePlan>();
  #lastId = 0;

  constructor(root: JsonObject) {
    this.#root = root;
    this.#ownBase = hasOwnBase(root);
  }

  plan(schemas: readonly JsonObject[]): ValuePlan {
    const key = schemas.map(schema => this.#idOf(schema)).join(' ');
    const plan = this.#plans.get(key) ?? this.#make(schemas, this.#gatherAll(schemas, NOTHING));
    this.#plans.set(key, plan);
    return plan;
  }

  #idOf(schema: JsonObject): number {
    const id = this.#ids.get(schema) ?? ++this.#lastId;
    this.#ids.set(schema, id);
    return id;
  }

  #planOf(schemas: readonly JsonValue[]): ValuePlan | undefined {
    const saying = schemas.filter(isJsonObject);
    return saying.length === 0 ? undefined : this.plan(saying);
  }

  #make(originals: readonly JsonObject[], gathered: Gathered): ValuePlan {
    const { schemas, choices, nullable } = gathered;
    const branch = (form: JsonObject) =>
      this.#make([...originals, form], this.#gatherAll([form], { ...gathered, choices: [] }));
    return {
      types: common(schemas.flatMap(schema => (schema.type === undefined ? [] : [typesOf(schema.type)]))),
      members: common(schemas.flatMap(membersOf)),
      formats: schemas.flatMap(({ format }) => (typeof format === 'string' ? [format] : [])),
      nullable,
      hasDefault: schemas.some(schema => Object.hasOwn(schema, 'default')),
      required: new Set(schemas.flatMap(({ required }) => (Array.isArray(required) ? (required as string[]) : []))),
      branches: once(() => (choices.length === 1 ? choices[0]!.map(branch) : undefined)),
      declares: key => schemas.some(({ properties }) => isJsonObject(properties) && Object.hasOwn(properties, key)),
      member: key => this.#planOf(schemas.flatMap(schema => memberSchemas(schema, key))),
      item: index => this.#planOf(schemas.flatMap(schema => itemSchema(schema, index) ?? [])),
      validator: once(() => this.#validatorOf(originals)),
    };
  }

  #gatherAll(schemas: readonly JsonObject[], before: Gathered): Gathered {
    const seen = new Set(before.schemas);
    return schemas.reduce((gathered, schema) => this.#gather(schema, gathered, seen), before);
  }

  #gather(schema: JsonObject, before: Gathered, seen: Set<JsonObject>): Gathered {
    if (seen.has(schema)) return before;
    seen.add(schema);
    let gathered: Gathered = { ...before, schemas: [...before.schemas, schema] };
    for (const part of this.#partsOf(schema)) gathered = this.#gather(part, gathered, seen);
    for (const choice of [schema.anyOf, schema.oneOf])
      if (Array.isArray(choice)) gathered = this.#gatherChoice(choice.filter(isJsonObject), gathered, seen);
    return gathered;
  }

  #partsOf(schema: JsonObject): JsonObject[] {
    const target = typeof schema.$ref === 'string' && !this.#ownBase ? findRef(this.#root, schema.$ref) : undefined;
    const parts = Array.isArray(schema.allOf) ? (schema.allOf as readonly JsonValue[]) : [];
    return [target, ...parts].filter(isJsonObject);
  }

  #gatherChoice(choice: readonly JsonObject[], before: Gathered, seen: Set<JsonObject>): Gathered {
    const forms = choice.filter(({ type, const: only }) => type !== 'null' && only !== null);
    const [form] = forms;
    if (form === undefined || forms.length > 1) return { ...before, choices: [...before.choices, choice] };
    const gathered = this.#gather(form, before, seen);
    return { ...gathered, nullable: gathered.nullable || choice.length > 1 };
  }

  /** The part is put inside the whole schema, where its references lead to what they led to before. */
  #validatorOf(schemas: readonly JsonObject[]): Validator | undefined {
    if (this.#ownBase) return undefined;
    const { $schema: _dialect, ...root } = this.#root;
    const $defs = { ...(isJsonObject(root.$defs) ? root.$defs : {}), [PART]: { allOf: schemas } };
    return compileJsonSchema({
      $ref: `${BASE}#/$defs/${PART}`,
      $defs: { root: { ...HARMLESS_RULE, ...root, $id: BASE, $defs } },
    });
  }
}

const BASE = 'signalbox:arguments';
const PART = 'part of the arguments';

function memberSchemas(schema: JsonObject, key: string): JsonValue[] {
  const { properties, patternProperties, additionalProperties } = schema;
  const own = isJsonObject(properties) && Object.hasOwn(properties, key) ? [properties[key]!] : [];
  const matching = isJsonObject(patternProperties)
    ? Object.entries(patternProperties).flatMap(([pattern, of]) => (compilePattern(pattern).test(key) ? [of] : []))
    : [];
  const found = [...own, ...matching];
  return found.length === 0 && additionalProperties !== undefined ? [additionalProperties] : found;
}

function itemSchema({ prefixItems, items }: JsonObject, index: number): JsonValue | undefined {
  return Array.isArray(prefixItems) && index < prefixItems.length ? prefixItems[index] : items;
}

function typesOf(type: JsonValue): readonly string[] {
  return Array.isArray(type) ? (type as readonly string[]) : [String(type)];
}

function membersOf(schema: JsonObject): (readonly JsonValue[])[] {
  const lists: (readonly JsonValue[])[] = Array.isArray(schema.enum) ? [schema.enum] : [];
  return Object.hasOwn(schema, 'const') ? [...lists, [schema.const!]] : lists;
}

/** What stands in all of the lists; undefined where there is no list. */
function common<Value>(lists: readonly (readonly Value[])[]): readonly Value[] | undefined {
  const [first, ...others] = lists;
  return first?.filter(value => others.every(list => list.includes(value)));
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
