import { pointerTo } from '../../error/fault.ts';
import { typeOfSchema } from '../../expression/schema-type.ts';
import { tokensOf } from '../../json/pointer.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/value.ts';
import { inPlaceOf } from '../../schema/mask-by-schema.ts';
import { prepare } from '../../schema/subset/prepare.ts';
import { leadsSomewhere } from '../check/pointers.ts';
import { type Difference, narrows, widens } from './change.ts';

/** What of a value is masked: by pointers of the contract, and by the marks of its schema. */
export interface Marked {
  readonly pointers: readonly string[];
  readonly schema: JsonObject | undefined;
}

/**
 * A mark that goes lets a value be seen that was hidden, however it was marked, unless there is no such value any more.
 * Schemas whose references are not followed here are not looked into: any change of one counts as widening already.
 */
export function compareMarks(old: Marked, now: Marked, what: string): Difference[] {
  const [before, after] = [placesOf(old), placesOf(now)];
  const type = typeOfSchema(now.schema);
  const isThere = (place: string) => (isPointer(place) ? leadsSomewhere(place, type) : true);
  const gone = before.filter(place => !isCovered(place, after) && isThere(place));
  const added = after.filter(place => !isCovered(place, before));
  return [
    ...gone.map(place => widens(`no longer has ${named(place, what)} masked`)),
    ...added.map(place => narrows(`has ${named(place, what)} masked`)),
  ];
}

function named(place: string, what: string): string {
  return place === '' ? `the whole ${what}` : `the ${what} \`${place}\``;
}

/** Tokens for what no key can name: a blank before them, as a pointer of a contract has none there. */
const PLACE = { items: ' items', rest: ' other keys', keys: ' names of keys' } as const;

function isPointer(place: string): boolean {
  return !place.includes('/ ');
}

function placesOf({ pointers, schema }: Marked): readonly string[] {
  const prepared = schema === undefined ? undefined : prepare(schema);
  return [...new Set([...pointers, ...(prepared === undefined ? [] : marksIn(prepared, ''))])];
}

/** What is masked as a whole has no parts left to mask. */
function isCovered(place: string, places: readonly string[]): boolean {
  const tokens = tokensOf(place);
  return places.some(one => tokensOf(one).every((token, at) => tokens[at] === token));
}

function marksIn(schema: JsonValue | undefined, place: string): string[] {
  if (!isJsonObject(schema)) return [];
  if (schema.sensitive === true) return [place];
  return [
    ...partsOf(schema, place).flatMap(([part, at]) => marksIn(part, at)),
    ...inPlaceOf(schema).flatMap(part => marksIn(part, place)),
  ];
}

type Part = readonly [schema: JsonValue | undefined, place: string];

function partsOf(schema: JsonObject, place: string): readonly Part[] {
  const { prefixItems, items, contains, unevaluatedItems, additionalProperties, unevaluatedProperties, propertyNames } =
    schema;
  const first = Array.isArray(prefixItems) ? (prefixItems as readonly JsonValue[]) : [];
  return [
    ...membersOf(schema.properties, key => pointerTo(place, key)),
    ...membersOf(schema.patternProperties, pattern => pointerTo(place, ` keys like ${pattern}`)),
    ...first.map((part, index): Part => [part, pointerTo(place, index)]),
    ...[items, contains, unevaluatedItems].map((part): Part => [part, pointerTo(place, PLACE.items)]),
    ...[additionalProperties, unevaluatedProperties].map((part): Part => [part, pointerTo(place, PLACE.rest)]),
    [propertyNames, pointerTo(place, PLACE.keys)],
  ];
}

function membersOf(schemas: JsonValue | undefined, at: (key: string) => string): Part[] {
  return isJsonObject(schemas) ? Object.entries(schemas).map(([key, part]) => [part, at(key)]) : [];
}
