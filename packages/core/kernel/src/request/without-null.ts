import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';

/** A schema without null among what it accepts, and whether it was. Any way of writing nullable is known. */
export function withoutNull(schema: JsonObject): { schema: JsonObject; nullable: boolean } {
  if (Array.isArray(schema.type) && schema.type.includes('null')) {
    const types = schema.type.filter(type => type !== 'null');
    const inner = withoutNull({ ...schema, type: types.length === 1 ? types[0]! : types });
    return { schema: inner.schema, nullable: true };
  }
  if (Array.isArray(schema.enum) && schema.enum.includes(null)) {
    return { schema: { ...schema, enum: schema.enum.filter(value => value !== null) }, nullable: true };
  }
  for (const keyword of ['anyOf', 'oneOf']) {
    const choices = schema[keyword];
    if (!Array.isArray(choices) || !choices.some(isNull)) continue;
    const { [keyword]: _choices, ...own } = schema;
    const others = choices.filter(choice => !isNull(choice));
    const [only] = others;
    const inner = others.length === 1 && isJsonObject(only) ? { ...only, ...own } : { ...own, [keyword]: others };
    return { schema: inner, nullable: true };
  }
  return { schema, nullable: false };
}

function isNull(choice: JsonValue): boolean {
  return isJsonObject(choice) && (choice.type === 'null' || choice.const === null);
}
