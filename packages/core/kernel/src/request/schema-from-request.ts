import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import type { Action, Gap, RequestKind } from './definition.ts';
import type { Field } from './field.ts';
import { FIELD_HINTS, schemaFromFields } from './schema-from-fields.ts';

/** What of a question its schema holds: all that a form for it shows. Who may answer, and until when, is no part of it. */
export interface ProjectedRequest {
  readonly kind: RequestKind;
  readonly title: string;
  readonly message?: string;
  readonly fields: readonly Field[];
  readonly gap?: Gap;
  readonly summary?: string;
  readonly purpose?: string;
  readonly context?: JsonValue;
  /** CEL across fields, with the message of each; JSON Schema cannot say them. */
  readonly rules?: readonly object[];
  readonly displays?: readonly object[];
  readonly actions?: Readonly<Partial<Record<Action, string>>>;
  readonly proposal?: JsonValue;
}

export const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** Members of a request that stand under {@link FIELD_HINTS} of its schema, as they are. */
export const REQUEST_HINTS = [
  ...(['kind', 'gap', 'summary', 'purpose', 'context'] as const),
  ...(['rules', 'displays', 'actions', 'proposal'] as const),
];

/**
 * The JSON Schema 2020-12 of the values that answer a question: `title` and `description` are the question's title and message,
 * what JSON Schema has no word for stands under `x-signalbox`. An answer may leave the values out where it approves nothing.
 */
export function schemaFromRequest(request: ProjectedRequest): JsonObject {
  const hints = REQUEST_HINTS.flatMap((key): [string, JsonValue][] =>
    request[key] === undefined ? [] : [[key, request[key] as JsonValue]],
  );
  return {
    $schema: DIALECT,
    title: request.title,
    ...(request.message === undefined ? {} : { description: request.message }),
    ...schemaFromFields(request.fields),
    [FIELD_HINTS]: Object.fromEntries(hints),
  };
}

/** The hints of a request's schema; of a foreign schema there are none. */
export function hintsOfRequest(schema: JsonObject): JsonObject {
  const hints = schema[FIELD_HINTS];
  return isJsonObject(hints) ? hints : {};
}
