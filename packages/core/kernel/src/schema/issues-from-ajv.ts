import type { ErrorObject } from 'ajv';
import { pointerTo } from '../error/fault.ts';
import { hasKey, isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { closest } from './closest.ts';
import { createIssue, type Issue, kindOf } from './issue.ts';

/** Keywords of ours for those of JSON Schema that say the same; the others keep their names. */
const CODES: Readonly<Record<string, string>> = {
  additionalProperties: 'unknownKey',
  unevaluatedProperties: 'unknownKey',
  dependentRequired: 'required',
  'false schema': 'notAllowed',
  additionalItems: 'maxItems',
  items: 'maxItems',
  unevaluatedItems: 'maxItems',
  formatMinimum: 'minimum',
  formatMaximum: 'maximum',
  formatExclusiveMinimum: 'exclusiveMinimum',
  formatExclusiveMaximum: 'exclusiveMaximum',
};

/** `if` says nothing of its own: what its `then` or `else` found is among the errors. */
const SILENT = new Set(['if']);

/** What is meant by a key takes its time to find out, and nobody reads it of a hundred thousand. */
const MOST_SUGGESTIONS = 50;

/** What ajv found, in our words, at the place of the missing or unknown key itself, each thing once. */
export function issuesFromAjv(errors: readonly ErrorObject[]): Issue[] {
  const seen = new Set<string>();
  const issues: Issue[] = [];
  for (const error of errors) {
    if (SILENT.has(error.keyword)) continue;
    const issue = toIssue(error, issues.length < MOST_SUGGESTIONS);
    const identity = `${issue.pointer} ${issue.code} ${issue.message}`;
    if (!seen.has(identity)) issues.push(issue);
    seen.add(identity);
  }
  return issues;
}

function toIssue(error: ErrorObject, suggests: boolean): Issue {
  const { instancePath: pointer, keyword } = error;
  const params = error.params as JsonObject;
  const code = CODES[keyword] ?? keyword;
  switch (code) {
    case 'required':
      return createIssue(pointerTo(pointer, String(params.missingProperty)), code);
    case 'unknownKey':
      return unknownKey(
        pointer,
        String(params.additionalProperty ?? params.unevaluatedProperty),
        suggests ? error.parentSchema : undefined,
      );
    case 'propertyNames':
      return createIssue(pointerTo(pointer, String(params.propertyName)), code);
    case 'type':
      return createIssue(pointer, code, { type: params.type ?? null, got: kindOf(error.data as JsonValue) });
    case 'const':
    case 'pattern':
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return createIssue(pointer, code, boundOf(code, error));
    default:
      return createIssue(pointer, code, params);
  }
}

function boundOf(code: string, error: ErrorObject): JsonObject {
  const bound = error.schema as JsonValue;
  return { [code === 'const' ? 'allowedValue' : code === 'pattern' ? 'pattern' : 'limit']: bound };
}

function unknownKey(pointer: string, key: string, parentSchema: unknown): Issue {
  const declared =
    isJsonObject(parentSchema) && hasKey(parentSchema, 'properties') && isJsonObject(parentSchema.properties)
      ? Object.keys(parentSchema.properties)
      : [];
  const suggestion = closest(key, declared);
  return createIssue(pointerTo(pointer, key), 'unknownKey', suggestion === undefined ? {} : { suggestion });
}
