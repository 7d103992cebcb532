import { randomBytes } from 'node:crypto';
import { isJsonObject, type JsonValue } from '@signalbox/kernel';
import type { EventStore, KeyRing } from '@signalbox/ports';
import { sha256, unreadable } from '../log/commit-codec.ts';
import type { Payload } from '../log/payload.ts';
import { KEY_LENGTH, keyMissing } from './key-ring.ts';

/** The key of a run. Wrapped by its tenant's it is a payload, so that it can be dropped, and all that it opens with it. */
export interface DataKey {
  /** Of its payload; commits that hold something sealed with it name it at `refs.key`. */
  readonly digest: string;
  readonly bytes: Uint8Array;
}

/** The place in `refs` at which a commit names the key of what is sealed in it. */
export const KEY_PLACE = 'key';

export function createDataKey(ring: KeyRing, tenant: string, salt: string): { key: DataKey; payload: Payload } {
  const bytes = randomBytes(KEY_LENGTH);
  const text = `${salt}.${JSON.stringify({ wrapped: ring.wrap(tenant, bytes) })}`;
  const digest = sha256(text);
  return { key: { digest, bytes }, payload: { digest, text } };
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
  if (sha256(text) !== digest) throw unreadable(place.stream, place.seq, `its key ${digest} does not match its digest`);
  const value = JSON.parse(text.slice(text.indexOf('.') + 1)) as JsonValue;
  const wrapped = isJsonObject(value) && typeof value.wrapped === 'string' ? value.wrapped : '';
  try {
    return { digest, bytes: await ring.unwrap(tenant, wrapped) };
  } catch (error) {
    throw keyMissing(place.stream, place.seq, error);
  }
}
