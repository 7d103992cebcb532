import { pointerTo } from '../error/fault.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { KEYWORDS } from './keywords.ts';

export interface PlacedSchema {
  /** JSON pointer of the schema, the one it was asked for with included. */
  readonly pointer: string;
  readonly schema: JsonValue;
}

/** The schemas that stand directly in a schema, in the order they are written. What they are is not looked at. */
export function subSchemas(schema: JsonObject, pointer: string): PlacedSchema[] {
  return Object.entries(schema).flatMap(([keyword, value]) => within(keyword, value, pointerTo(pointer, keyword)));
}

function within(keyword: string, value: JsonValue, pointer: string): PlacedSchema[] {
  switch (KEYWORDS.get(keyword)) {
    case 'schema':
      return [{ pointer, schema: value }];
    case 'schemaList':
      return Array.isArray(value) ? value.map((schema, i) => ({ pointer: pointerTo(pointer, i), schema })) : [];
    case 'schemaByKey':
    case 'schemaByPattern':
      if (!isJsonObject(value)) return [];
      return Object.entries(value).map(([key, schema]) => ({ pointer: pointerTo(pointer, key), schema }));
    case 'dependencies':
      if (!isJsonObject(value)) return [];
      return Object.entries(value)
        .filter(([, schema]) => !Array.isArray(schema))
        .map(([key, schema]) => ({ pointer: pointerTo(pointer, key), schema }));
    default:
      return [];
  }
}
