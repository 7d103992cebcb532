import {
  type Commit,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  SignalboxError,
  type StoredEvent,
} from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { KEY_PLACE, type RefPlace } from '../sensitive/data-key.ts';
import { isSealedValue, type Opening } from '../sensitive/opening.ts';
import { openCommit, sha256, unreadable } from './commit-codec.ts';
import { isIntact, type Payload } from './payload.ts';

/** A datum larger than this (UTF-16 units of its JSON) stands in the log as `{ $ref, digest }`. */
export const PAYLOAD_LIMIT = 64 * 1024;

/**
 * What the fold yields for a payload whose bytes were erased: never a null. Values from outside cannot have this key
 * (`toJsonValue` refuses it), so nobody can pass something off as erased.
 */
export function erasedValue(digest: string): JsonObject {
  return { $erased: digest };
}

export function isErased(value: unknown): value is { readonly $erased: string } {
  return isJsonObject(value) && typeof value.$erased === 'string' && Object.keys(value).length === 1;
}

/** What of a commit goes into the log, and what beside it. */
export interface LeanCommit {
  readonly commit: Commit;
  readonly payloads: readonly Payload[];
}

/**
 * Moves data over the limit out of a commit; `refs` names each place, and a note of the digest is left there for readers.
 * The digest is salted, and the salt goes with the bytes, so that nobody can
 * tell from the log what an erased value was. Members of events are looked at one by one; only the large ones move.
 */
export function externalize(
  commit: Commit,
  salt: () => string,
  limit = PAYLOAD_LIMIT,
  moves: (event: StoredEvent) => boolean = () => true,
): LeanCommit {
  const payloads: Payload[] = [];
  if (mostUnits(commit.events, limit) <= limit) return { commit, payloads };
  const refs: Record<string, string> = { ...commit.refs };
  const move = (value: JsonValue, place: string): JsonValue => {
    const json = JSON.stringify(value);
    if (json.length <= limit) return value;
    const text = `${salt()}.${json}`;
    const digest = sha256(text);
    payloads.push({ digest, text });
    refs[place] = digest;
    return { $ref: 'payload', digest };
  };
  const moved = commit.events.map((event, index) =>
    moves(event) ? { ...event, data: moveMembers(event.data, index, move) } : event,
  );
  if (payloads.length === 0) return { commit, payloads };
  const { events: _whole, ...head } = commit;
  return { commit: { ...head, refs, events: moved }, payloads };
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
  // Data is plain, so there is nothing to inherit; a list of its keys would be made for every member of every commit.
  for (const key in value) {
    units += 4 + 6 * key.length + mostUnits(value[key as keyof typeof value], limit - units);
    if (units > limit) break;
  }
  return units;
}

/** Values inside `state.changed` move one by one, so that each can be erased alone. */
function moveMembers(
  data: JsonObject,
  index: number,
  move: (value: JsonValue, place: string) => JsonValue,
): JsonObject {
  const moved: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(data)) {
    const place = `${index}/${key}`;
    if (key === 'changes' && Array.isArray(value))
      moved[key] = (value as JsonObject[]).map((change, at) => ({
        ...change,
        value: move(change.value ?? null, `${place}/${at}/value`),
      }));
    else moved[key] = isMovable(key, value) ? move(value, place) : value;
  }
  return moved;
}

function isMovable(key: string, value: JsonValue): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null && !PLAIN.has(key));
}

/** Members that the fold and the row makers need as they are. */
const PLAIN: ReadonlySet<string> = new Set([
  'by',
  'from',
  'endorsedBy',
  'reminders',
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

/** Puts the payloads back that a commit refers to; what is sealed in it is masked, unless there is an `opening`. */
export async function internalize(
  store: EventStore,
  tenant: string,
  commit: Commit,
  opening?: Opening,
): Promise<Commit> {
  if (commit.refs === undefined) return commit;
  const { refs, events: lean, ...head } = commit;
  const events: StoredEvent[] = [...lean];
  const key = refs[KEY_PLACE];
  if (opening !== undefined && key !== undefined)
    await opening.meet({ store, tenant }, key, { stream: commit.stream, seq: commit.firstSeq });
  for (const { index, path, digest, isSealed } of placesOf(commit)) {
    const place = { stream: commit.stream, seq: commit.firstSeq + index };
    const fetched = await fetchPayload(store, tenant, digest, place);
    const value = isSealed ? await opened(fetched, { store, tenant, commit, digest, place, opening }) : fetched;
    events[index] = { ...events[index]!, data: withValueAt(events[index]!.data, path, value) };
  }
  return { ...head, events };
}

interface Sealing {
  readonly store: EventStore;
  readonly tenant: string;
  readonly commit: Commit;
  readonly digest: string;
  readonly place: RefPlace;
  readonly opening: Opening | undefined;
}

/** Where the key was dropped, the value is erased for whoever would go on with it. */
async function opened({ value, erased }: Fetched, sealing: Sealing): Promise<Fetched> {
  if (erased) return { value, erased };
  const { store, tenant, commit, digest, place, opening } = sealing;
  if (!isSealedValue(value)) throw unreadable(place.stream, place.seq, `its payload ${digest} is not sealed`);
  if (opening === undefined) return { value: value.masked, erased };
  const clear = await opening.open({ store, tenant }, value, commit.refs?.[KEY_PLACE] ?? '', place);
  return clear === undefined ? { value: erasedValue(digest), erased: true } : { value: clear, erased };
}

/** A commit of whatever stream, as it is read: with its payloads. Only one that refers to any costs a look at whose it is. */
export async function withPayloads(store: EventStore, commit: Commit): Promise<Commit> {
  if (commit.refs === undefined) return commit;
  const tenant = await tenantOf(store, commit.stream);
  if (tenant === undefined) throw unreadable(commit.stream, commit.firstSeq, 'whose it is is not known');
  return await internalize(store, tenant, commit);
}

/** Whose stream it is; undefined where nobody can tell. */
export async function tenantOf(store: EventStore, stream: string): Promise<string | undefined> {
  return (await store.run(stream))?.tenant ?? (await openingTenant(store, stream));
}

/** A stream that is not a run's begins with whose it is. */
async function openingTenant(store: EventStore, stream: string): Promise<string | undefined> {
  const [first] = await store.read(stream, { limit: 1 });
  const tenant = first === undefined ? undefined : openCommit(first).events[0]?.data.tenant;
  return typeof tenant === 'string' ? tenant : undefined;
}

/** What stands apart under a digest that the event of that place refers to. @throws SignalboxError `LogUnreadable` */
export async function payloadValue(
  store: EventStore,
  tenant: string,
  digest: string,
  place: { readonly stream: string; readonly seq: number },
): Promise<JsonValue> {
  return (await fetchPayload(store, tenant, digest, place)).value;
}

/** Of one event, which of its members stand apart, and under which digest. */
export function refsOf({ refs = {} }: Pick<Commit, 'refs'>, index: number): Readonly<Record<string, string>> {
  const own = `${index}/`;
  return Object.fromEntries(
    Object.entries(refs).flatMap(([place, digest]) =>
      place.startsWith(own) ? [[place.slice(own.length), digest]] : [],
    ),
  );
}

type Path = readonly [member: string] | readonly [member: 'changes', at: number];

interface Place {
  readonly index: number;
  readonly path: Path;
  readonly digest: string;
  readonly isSealed: boolean;
}

const PLACE = /^(\d+)\/(?:changes\/(\d+)\/value|([A-Za-z]+))$/;

const NOTES: ReadonlySet<unknown> = new Set(['payload', 'sealed']);

/** @throws SignalboxError `LogUnreadable` for a reference to a place that holds none. */
function placesOf(commit: Commit): Place[] {
  const refs = Object.entries(commit.refs ?? {}).filter(([key]) => key !== KEY_PLACE);
  return refs.map(([key, digest]) => {
    const [, index, at, member] = PLACE.exec(key) ?? [];
    const path: Path = at === undefined ? [member ?? ''] : ['changes', Number(at)];
    const note = valueAt(commit.events[Number(index)]?.data, path);
    if (!isJsonObject(note) || !NOTES.has(note.$ref) || note.digest !== digest)
      throw unreadable(commit.stream, commit.firstSeq, `there is no reference at ${key}`);
    return { index: Number(index), path, digest, isSealed: note.$ref === 'sealed' };
  });
}

function valueAt(data: JsonObject | undefined, [member, at]: Path): JsonValue | undefined {
  if (data === undefined || !Object.hasOwn(data, member)) return undefined;
  const value = data[member];
  if (at === undefined) return value;
  const change = Array.isArray(value) ? (value as readonly JsonValue[])[at] : undefined;
  return isJsonObject(change) ? change.value : undefined;
}

/** Of an erased append nobody knows how many items it held: one erased item stands for them. */
function withValueAt(data: JsonObject, [member, at]: Path, { value, erased }: Fetched): JsonObject {
  if (at === undefined) return { ...data, [member]: value };
  const changes = (data.changes as readonly JsonObject[]).map((change, index) =>
    index === at ? { ...change, value: erased && change.op === 'append' ? [value] : value } : change,
  );
  return { ...data, changes };
}

interface Fetched {
  readonly value: JsonValue;
  readonly erased: boolean;
}

async function fetchPayload(
  store: EventStore,
  tenant: string,
  digest: string,
  { stream, seq }: RefPlace,
): Promise<Fetched> {
  const text = await store.payload(tenant, digest);
  if (text === undefined) {
    if (await store.payloadErased(tenant, digest)) return { value: erasedValue(digest), erased: true };
    throw unreadable(stream, seq, `its payload ${digest} is missing`);
  }
  if (!isIntact({ digest, text })) throw unreadable(stream, seq, `its payload ${digest} does not match its digest`);
  return { value: JSON.parse(text.slice(text.indexOf('.') + 1)) as JsonValue, erased: false };
}

/** The digests that a commit refers to, in the order of its text; of one event of it where `index` is given. */
export function payloadsOf({ refs = {} }: Pick<Commit, 'refs'>, index?: number): string[] {
  return Object.entries(refs).flatMap(([place, digest]) =>
    index === undefined || place.startsWith(`${index}/`) ? [digest] : [],
  );
}

/** What the first `count` events of a commit refer to, as members of a commit. */
export function refsUpTo({ refs }: Pick<Commit, 'refs'>, count: number): Pick<Commit, 'refs'> {
  const places = Object.entries(refs ?? {});
  const isBefore = ([place]: readonly [string, string]) => Number.parseInt(place, 10) < count;
  const kept = places.some(isBefore) ? places.filter(one => one[0] === KEY_PLACE || isBefore(one)) : [];
  return kept.length === 0 ? {} : { refs: Object.fromEntries(kept) };
}

export function unknownPayload(digest: string): SignalboxError {
  return new SignalboxError('UnknownPayload', `There is no payload ${digest}.`);
}
