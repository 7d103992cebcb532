import { type Fault, pointerTo } from '../error/fault.ts';
import { hasKey, isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { followRef } from '../schema/refs.ts';
import { checkFields } from './check-fields.ts';
import type { Field } from './field.ts';
import { fieldFromProperty } from './field-from-property.ts';
import { errorAt } from './member-reader.ts';
import { FIELD_HINTS } from './schema-from-fields.ts';

const OF_A_FORM = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'title', 'description', 'examples'],
  ...['$schema', '$id', '$defs', 'definitions', '$comment', FIELD_HINTS],
]);

/**
 * The fields that ask for the values of an object schema, in the order of its properties; from here on the fields decide.
 * So a form refuses unknown keys and a list of choices is distinct, even where the schema did not say so; of a date's
 * `format` the pattern beside it is not kept. A property may be null only if it may also be absent: in a form no answer
 * is an absent key.
 *
 * What no field can hold is `UnsupportedInForm` at its place in the schema, never left out unsaid; what makes no valid
 * field has a fault of `checkFields` at its property.
 */
export function fieldsFromSchema(schema: JsonObject): { fields: Field[]; faults: Fault[] } {
  const root = followRef(schema, schema);
  if (root.type !== 'object' && !isJsonObject(root.properties)) {
    const hint = 'Put the value under a key of an object.';
    return { fields: [], faults: [errorAt('', 'UnsupportedInForm', 'A form asks for the keys of an object.', hint)] };
  }
  const faults = unsupportedOfForm(root);
  const properties = isJsonObject(root.properties) ? root.properties : {};
  const required = new Set(Array.isArray(root.required) ? root.required : []);
  const read: JsonObject[] = [];
  for (const [name, property] of Object.entries(properties)) {
    const place = pointerTo('/properties', name);
    const resolved = resolveProperty(property, schema);
    const result = fieldFromProperty(resolved, { name, required: required.has(name), pointer: place });
    faults.push(...result.faults);
    if (result.field !== undefined) read.push(result.field);
  }
  const checked = checkFields(read, '');
  const names = read.map(field => String(field.name));
  return { fields: checked.fields, faults: [...faults, ...checked.faults.map(fault => atProperty(fault, names))] };
}

/** References of the property itself, of its choices and of its items; what lies deeper is no field anyway. */
function resolveProperty(property: JsonValue, root: JsonObject): JsonObject {
  if (!isJsonObject(property)) return {};
  const resolved = followRef(property, root);
  const parts = ['items', 'anyOf', 'oneOf'].filter(keyword => hasKey(resolved, keyword));
  return { ...resolved, ...Object.fromEntries(parts.map(keyword => [keyword, resolveAll(resolved[keyword]!, root)])) };
}

function resolveAll(value: JsonValue, root: JsonObject): JsonValue {
  if (Array.isArray(value)) return value.map(item => resolveAll(item, root));
  return isJsonObject(value) ? followRef(value, root) : value;
}

function unsupportedOfForm(root: JsonObject): Fault[] {
  const faults = Object.keys(root)
    .filter(keyword => !OF_A_FORM.has(keyword))
    .map(keyword => errorAt(pointerTo('', keyword), 'UnsupportedInForm', `A form cannot hold \`${keyword}\`.`));
  const extra = root.additionalProperties;
  if (extra !== undefined && extra !== false) {
    const message = 'A form has no fields beside the ones it names.';
    faults.push(errorAt('/additionalProperties', 'UnsupportedInForm', message));
  }
  const properties = isJsonObject(root.properties) ? root.properties : {};
  for (const [index, key] of (Array.isArray(root.required) ? root.required : []).entries()) {
    if (hasKey(properties, String(key))) continue;
    const message = `The required key ${JSON.stringify(key)} is no property, so no field asks for it.`;
    faults.push(errorAt(pointerTo('/required', index), 'UnsupportedInForm', message));
  }
  return faults;
}

/** `checkFields` names a field by its number; what is wrong came from the property. */
function atProperty(fault: Fault, names: readonly string[]): Fault {
  const index = Number(fault.pointer.split('/')[1]);
  const name = names[index];
  return { ...fault, pointer: name === undefined ? '/properties' : pointerTo('/properties', name) };
}
