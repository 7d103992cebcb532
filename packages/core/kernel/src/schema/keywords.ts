/** What a keyword of JSON Schema 2020-12 must hold. */
export type KeywordKind =
  | 'anchor'
  | 'any'
  | 'boolean'
  | 'count'
  | 'dependencies'
  | 'enum'
  | 'format'
  | 'fragment'
  | 'list'
  | 'namesByKey'
  | 'number'
  | 'olderId'
  | 'pattern'
  | 'positive'
  | 'ref'
  | 'schema'
  | 'schemaByKey'
  | 'schemaByPattern'
  | 'schemaList'
  | 'text'
  | 'type'
  | 'uniqueTexts';

export const KEYWORDS: ReadonlyMap<string, KeywordKind> = new Map<string, KeywordKind>([
  ['type', 'type'],
  ['enum', 'enum'],
  ['const', 'any'],
  ['default', 'any'],
  ['examples', 'list'],
  ['format', 'format'],
  ['pattern', 'pattern'],
  ['$ref', 'ref'],
  ['required', 'uniqueTexts'],
  ['dependentRequired', 'namesByKey'],
  ['multipleOf', 'positive'],
  ...kind('number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']),
  ...kind('count', ['minLength', 'maxLength', 'minItems', 'maxItems', 'minContains', 'maxContains']),
  ...kind('count', ['minProperties', 'maxProperties']),
  ...kind('boolean', ['uniqueItems', 'deprecated', 'readOnly', 'writeOnly', 'nullable', 'sensitive']),
  ...kind('schema', ['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'items', 'unevaluatedItems']),
  ...kind('schema', ['contains', 'not', 'if', 'then', 'else', 'contentSchema']),
  ...kind('schemaList', ['allOf', 'anyOf', 'oneOf', 'prefixItems']),
  ...kind('schemaByKey', ['properties', '$defs', 'definitions', 'dependentSchemas']),
  ['patternProperties', 'schemaByPattern'],
  ...kind('text', ['title', 'description', '$comment', '$schema', '$id']),
  ...kind('anchor', ['$anchor', '$dynamicAnchor']),
  ['$dynamicRef', 'fragment'],
  ...kind('text', ['contentEncoding', 'contentMediaType']),
  // Of older versions of JSON Schema, where what compiles schemas still minds them.
  ['dependencies', 'dependencies'],
  ['id', 'olderId'],
  ['$recursiveRef', 'fragment'],
  ['$recursiveAnchor', 'boolean'],
  ...kind('text', ['formatMinimum', 'formatMaximum', 'formatExclusiveMinimum', 'formatExclusiveMaximum']),
]);

export const TYPES: readonly string[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

function kind(name: KeywordKind, keywords: readonly string[]): [string, KeywordKind][] {
  return keywords.map(keyword => [keyword, name]);
}
