import {
  type Commit,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  SignalboxError,
  type StoredEvent,
} from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { sha256, unreadable } from './commit-codec.ts';

/** A datum larger than this (UTF-16 units of its JSON) stands in the log as `{ $ref, digest }`. */
export const PAYLOAD_LIMIT = 64 * 1024;

/** What the fold yields for a payload whose bytes were erased: never a null. */
export function erasedValue(digest: string): JsonObject {
  return { $erased: digest };
}

export function isErased(value: unknown): value is { readonly $erased: string } {
  return isJsonObject(value) && typeof value.$erased === 'string' && Object.keys(value).length === 1;
}

export interface Payload {
  readonly digest: string;
  readonly text: string;
}

/**
 * Moves data over the limit out of a commit. The digest is salted, and the salt goes with the bytes, so that nobody can
 * tell from the log what an erased value was. Members of events are looked at one by one; only the large ones move.
 */
export function externalize(
  commit: Commit,
  salt: () => string,
  limit = PAYLOAD_LIMIT,
): { commit: Commit; payloads: Payload[] } {
  const payloads: Payload[] = [];
  if (mostUnits(commit.events, limit) <= limit) return { commit, payloads };
  const move = (value: JsonValue): JsonValue => {
    const json = JSON.stringify(value);
    if (json.length <= limit) return value;
    const text = `${salt()}.${json}`;
    const digest = sha256(text);
    payloads.push({ digest, text });
    return { $ref: 'payload', digest };
  };
  const events = commit.events.map(event => ({ ...event, data: moveMembers(event.data, move) }));
  return payloads.length === 0 ? { commit, payloads } : { commit: { ...commit, events }, payloads };
}

/** No JSON of the value is longer than this (a character is six when it is escaped). Stops counting beyond the limit. */
function mostUnits(value: unknown, limit: number): number {
  if (typeof value === 'string') return 2 + 6 * value.length;
  if (typeof value !== 'object' || value === null) return 26;
  let units = 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && units <= limit; index += 1)
      units += 1 + mostUnits(value[index], limit - units);
    return units;
  }
  for (const key of Object.keys(value)) {
    units += 4 + 6 * key.length + mostUnits(value[key as keyof typeof value], limit - units);
    if (units > limit) break;
  }
  return units;
}

/** Values inside `state.changed` move one by one, so that each can be erased alone. */
function moveMembers(data: JsonObject, move: (value: JsonValue) => JsonValue): JsonObject {
  const moved: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(data)) {
    if (key === 'changes' && Array.isArray(value))
      moved[key] = (value as JsonObject[]).map(change => ({ ...change, value: move(change.value ?? null) }));
    else
      moved[key] =
        typeof value === 'object' && value !== null && !PLAIN.has(key)
          ? move(value)
          : typeof value === 'string'
            ? move(value)
            : value;
  }
  return moved;
}

/** Members that the fold and the row makers need as they are. */
const PLAIN: ReadonlySet<string> = new Set([
  'by',
  'to',
  'looked',
  'assignees',
  'entries',
  'share',
  'wish',
  'mapping',
  'tokens',
  'ops',
  'first',
  'wait',
]);

/** A quick look at a commit's text; only where it is true may the commit refer to payloads. */
export function mayMentionPayload(text: string): boolean {
  return text.includes('"$ref"');
}

/** Puts the payloads back that a commit refers to. */
export async function internalize(store: EventStore, tenant: string, commit: Commit): Promise<Commit> {
  if (!commit.events.some(event => mentionsPayload(event.data))) return commit;
  const events: StoredEvent[] = [];
  for (const [index, event] of commit.events.entries()) {
    const fetchOne = (digest: string) => fetchPayload(store, tenant, digest, commit.stream, commit.firstSeq + index);
    events.push({ ...event, data: await resolve(event.data, fetchOne) });
  }
  return { ...commit, events };
}

/** A commit of whatever run, as it is read: with its payloads. Only one that refers to any costs a look at its run. */
export async function withPayloads(store: EventStore, commit: Commit): Promise<Commit> {
  if (!commit.events.some(event => mentionsPayload(event.data))) return commit;
  const tenant = (await store.run(commit.stream))?.tenant;
  if (tenant === undefined) throw unreadable(commit.stream, commit.firstSeq, 'its run is not known');
  return await internalize(store, tenant, commit);
}

function mentionsPayload(data: JsonObject): boolean {
  return Object.entries(data).some(([key, value]) =>
    key === 'changes' && Array.isArray(value)
      ? (value as JsonObject[]).some(change => isReference(change.value))
      : isReference(value),
  );
}

function isReference(value: unknown): value is { readonly $ref: string; readonly digest: string } {
  return isJsonObject(value) && value.$ref === 'payload' && typeof value.digest === 'string';
}

async function resolve(data: JsonObject, fetchOne: (digest: string) => Promise<JsonValue>): Promise<JsonObject> {
  const resolved: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(data)) {
    if (isReference(value)) resolved[key] = await fetchOne(value.digest);
    else if (key === 'changes' && Array.isArray(value)) {
      const changes: JsonObject[] = [];
      for (const change of value as JsonObject[])
        changes.push(isReference(change.value) ? withValue(change, await fetchOne(change.value.digest)) : change);
      resolved[key] = changes;
    } else resolved[key] = value;
  }
  return resolved;
}

/** Of an erased append nobody knows how many items it held: one erased item stands for them. */
function withValue(change: JsonObject, value: JsonValue): JsonObject {
  return { ...change, value: change.op === 'append' && isErased(value) ? [value] : value };
}

async function fetchPayload(
  store: EventStore,
  tenant: string,
  digest: string,
  stream: string,
  seq: number,
): Promise<JsonValue> {
  const text = await store.payload(tenant, digest);
  if (text === undefined) {
    if (await store.payloadErased(tenant, digest)) return erasedValue(digest);
    throw unreadable(stream, seq, `its payload ${digest} is missing`);
  }
  if (sha256(text) !== digest) throw unreadable(stream, seq, `its payload ${digest} does not match its digest`);
  return JSON.parse(text.slice(text.indexOf('.') + 1)) as JsonValue;
}

/** The digests a commit's text refers to. */
export function payloadsOf(commit: Commit): string[] {
  const digests: string[] = [];
  const look = (value: unknown) => {
    if (isReference(value)) digests.push(value.digest);
  };
  for (const { data } of commit.events)
    for (const [key, value] of Object.entries(data)) {
      look(value);
      if (key === 'changes' && Array.isArray(value)) for (const change of value as JsonObject[]) look(change.value);
    }
  return digests;
}

export function unknownPayload(digest: string): SignalboxError {
  return new SignalboxError('UnknownPayload', `There is no payload ${digest}.`);
}
