import type { Fault } from '../error/fault.ts';
import { pointerTo } from '../error/fault.ts';
import type { JsonObject } from '../json/value.ts';
import type { RequestDefinition } from '../request/definition.ts';
import { fieldsFromSchema } from '../request/fields-from-schema.ts';
import { errorAt } from '../request/member-reader.ts';
import { FIELD_HINTS } from '../request/schema-from-fields.ts';
import { hintsOfRequest, REQUEST_HINTS } from '../request/schema-from-request.ts';
import { checkRequestShape } from './check/check-request.ts';

/**
 * The question that a schema puts: one of `schemaFromRequest`, or a foreign one of an object whose keys are such as fields can ask
 * for. It is a form where it does not say what it is. All that is wrong is told at its place in the schema; what no field can hold is
 * `UnsupportedInForm`. The request is fit for use when no fault is an error.
 */
export function requestFromSchema(schema: JsonObject): { request: RequestDefinition; faults: Fault[] } {
  const { fields, faults } = fieldsFromSchema(schema);
  const hints = hintsOfRequest(schema);
  const unknown = Object.keys(hints)
    .filter(key => !REQUEST_HINTS.some(known => known === key))
    .map(key => errorAt(`/${FIELD_HINTS}${pointerTo('', key)}`, 'UnknownKey', `A request has no \`${key}\` here.`));
  const request = {
    kind: 'form',
    title: schema.title ?? 'Your answer',
    ...(schema.description === undefined ? {} : { message: schema.description }),
    ...Object.fromEntries(REQUEST_HINTS.flatMap(key => (hints[key] === undefined ? [] : [[key, hints[key]]]))),
    ...(fields.length === 0 ? {} : { fields: fields as unknown as readonly JsonObject[] }),
  } as RequestDefinition;
  const shape = checkRequestShape(request, '').faults.filter(({ pointer }) => !pointer.startsWith('/fields'));
  return {
    request,
    faults: [...faults, ...unknown, ...shape.map(fault => ({ ...fault, pointer: inSchema(fault.pointer) }))],
  };
}

const OWN: Readonly<Record<string, string>> = { '/title': '/title', '/message': '/description' };

function inSchema(pointer: string): string {
  return OWN[pointer] ?? (pointer === '' ? '' : `/${FIELD_HINTS}${pointer}`);
}
