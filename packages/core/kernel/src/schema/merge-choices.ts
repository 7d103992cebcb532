import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';

/** Writes an `anyOf` or `oneOf` of normalized schemas as a type list or an `enum`, where that means the same. */
export function mergeChoices(schema: JsonObject): JsonObject {
  for (const keyword of ['anyOf', 'oneOf']) {
    const { [keyword]: choices, ...rest } = schema;
    if (!Array.isArray(choices) || !choices.every(isJsonObject)) continue;
    const merged = asEnum(choices, keyword) ?? asTypes(choices) ?? asNullable(choices);
    if (merged !== undefined && Object.keys(merged).every(key => !(key in rest))) return { ...rest, ...merged };
  }
  return schema;
}

/** Under `oneOf` a value that two choices have is refused, so they must be distinct. */
function asEnum(choices: readonly JsonObject[], keyword: string): JsonObject | undefined {
  const values: JsonValue[] = [];
  for (const choice of choices) {
    const found = valuesOf(choice);
    if (found === undefined) return undefined;
    values.push(...found);
  }
  if (!values.every(isScalar)) return undefined;
  const distinct = [...new Set(values)];
  return keyword === 'oneOf' && distinct.length < values.length ? undefined : { enum: distinct };
}

function valuesOf(choice: JsonObject): readonly JsonValue[] | undefined {
  if (Object.keys(choice).length !== 1) return undefined;
  if (choice.type === 'null') return [null];
  if ('const' in choice) return [choice.const!];
  return Array.isArray(choice.enum) ? choice.enum : undefined;
}

function isScalar(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null;
}

/** A number that is an integer has two of the types, so those two are left apart. */
function asTypes(choices: readonly JsonObject[]): JsonObject | undefined {
  if (!choices.every(choice => Object.keys(choice).length === 1 && 'type' in choice)) return undefined;
  const types = choices.flatMap(choice => choice.type!);
  const distinct = new Set(types);
  if (distinct.size < types.length || (distinct.has('integer') && distinct.has('number'))) return undefined;
  return { type: [...distinct].sort() };
}

/** Keywords that speak of null as well, so that null cannot simply be added to the types beside them. */
const OF_ANY_TYPE = [
  '$ref',
  '$dynamicRef',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'const',
  'enum',
  'default',
  '$defs',
];

function asNullable(choices: readonly JsonObject[]): JsonObject | undefined {
  const others = choices.filter(choice => choice.type !== 'null' || Object.keys(choice).length > 1);
  const [other] = others;
  if (other === undefined || others.length !== 1 || choices.length !== 2) return undefined;
  if (other.type === undefined || OF_ANY_TYPE.some(keyword => keyword in other)) return undefined;
  const types = Array.isArray(other.type) ? other.type : [other.type];
  return types.includes('null') ? undefined : { ...other, type: [...types, 'null'].sort() };
}
