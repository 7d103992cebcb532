import type { JsonObject } from '../json/value.ts';
import { marksSensitive } from '../schema/mask-by-schema.ts';

/** What of the arguments or the result of a tool is sensitive. */
export interface SensitiveParts {
  /** JSON pointers to it. */
  readonly pointers: readonly string[];
  /** The schema, where it marks anything. */
  readonly schema?: JsonObject;
}

export function sensitiveParts(pointers: readonly string[], schema: JsonObject | undefined): SensitiveParts {
  return schema !== undefined && marksSensitive(schema) ? { pointers, schema } : { pointers };
}

export function hasParts({ pointers, schema }: SensitiveParts): boolean {
  return pointers.length > 0 || schema !== undefined;
}
