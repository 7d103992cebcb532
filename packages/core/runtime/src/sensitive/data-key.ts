import { randomBytes } from 'node:crypto';
import { isJsonObject, type JsonValue } from '@signalbox/kernel';
import type { EventStore, KeyRing } from '@signalbox/ports';
import { sha256, unreadable } from '../log/commit-codec.ts';
import { isIntact, type Payload } from '../log/payload.ts';
import { KEY_LENGTH, keyMissing } from './key-ring.ts';

/** The key of a run. Wrapped by its tenant's it is a payload, so that it can be dropped, and all that it opens with it. */
export interface DataKey {
  /** Of its payload; commits that hold something sealed with it name it at `refs.key`. */
  readonly digest: string;
  readonly bytes: Uint8Array;
}

/** The place in `refs` at which a commit names the key of what is sealed in it. */
export const KEY_PLACE = 'key';
/** As long as a salt. */
const CHECK_LENGTH = 36;

export function createDataKey(ring: KeyRing, tenant: string, salt: string): { key: DataKey; payload: Payload } {
  const bytes = randomBytes(KEY_LENGTH);
  const text = `${salt}.${JSON.stringify({ wrapped: ring.wrap(tenant, bytes) })}`;
  const digest = sha256(text);
  return { key: { digest, bytes }, payload: { digest, text } };
}

/**
 * The payload of a key as it is wrapped anew, to stand in place of the one before: the log goes on naming it by the digest of
 * the first. A check takes the place of the salt, of the same length, so that the bytes before are written over.
 */
export function rewrappedKey(digest: string, wrapped: string): Payload {
  const body = JSON.stringify({ wrapped });
  return { digest, text: `${checkOf(digest, body)}.${body}` };
}

function checkOf(digest: string, body: string): string {
  return sha256(`${digest}.${body}`).slice(0, CHECK_LENGTH);
}

/** Whether the payload of a key is what the log refers to, or the same key wrapped anew. That it is the key, its use proves. */
export function isIntactKey(payload: Payload): boolean {
  if (isIntact(payload)) return true;
  const [check, body] = [payload.text.slice(0, CHECK_LENGTH), payload.text.slice(CHECK_LENGTH + 1)];
  return check === checkOf(payload.digest, body);
}

/** Undefined of what holds none. */
export function wrappedIn(text: string): string | undefined {
  const value = JSON.parse(text.slice(text.indexOf('.') + 1)) as JsonValue;
  return isJsonObject(value) && typeof value.wrapped === 'string' ? value.wrapped : undefined;
}

/** Where a reference stands, for whoever is told that it cannot be followed. */
export interface RefPlace {
  readonly stream: string;
  readonly seq: number;
}

/**
 * Undefined of a key that was dropped.
 * @throws SignalboxError `KeyMissing`, `LogUnreadable`, both naming stream and seq.
 */
export async function readDataKey(
  { store, ring, tenant }: { readonly store: EventStore; readonly ring: KeyRing; readonly tenant: string },
  digest: string,
  place: RefPlace,
): Promise<DataKey | undefined> {
  const text = await store.payload(tenant, digest);
  if (text === undefined) {
    if (await store.payloadErased(tenant, digest)) return undefined;
    throw unreadable(place.stream, place.seq, `its key ${digest} is missing`);
  }
  if (!isIntactKey({ digest, text }))
    throw unreadable(place.stream, place.seq, `its key ${digest} does not match its digest`);
  try {
    return { digest, bytes: await ring.unwrap(tenant, wrappedIn(text) ?? '') };
  } catch (error) {
    throw keyMissing(place.stream, place.seq, error);
  }
}
