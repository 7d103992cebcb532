import { createHmac } from 'node:crypto';
import type { EventStore, KeyRing } from '@signalbox/ports';
import { tenantOf } from '../log/payloads.ts';
import { commitsFrom } from '../log/run-log.ts';
import { type DataKey, KEY_PLACE, readDataKey } from './data-key.ts';

const SCHEME = 'hmac:';
/** 128 bits: nobody finds another of the same. */
const DIGITS = 32;

/**
 * A digest of something sensitive as it is shown and stored in the clear: equal for equal digests of a run, and nobody
 * without the key of the run can try what it may be of.
 */
export function keyedDigest({ bytes }: Pick<DataKey, 'bytes'>, digest: string): string {
  const made = createHmac('sha256', bytes).update('signalbox digest').update(digest).digest('hex');
  return SCHEME + made.slice(0, DIGITS);
}

/**
 * Whether a digest is the one that a store keeps of a run, as it is or under a key of the run. Where that key was dropped
 * nobody can tell any more, and it counts as the one.
 *
 * @throws SignalboxError `KeyMissing`, `LogUnreadable`
 */
export async function isStoredDigest(
  { store, keys: ring }: { readonly store: EventStore; readonly keys: KeyRing },
  runId: string,
  stored: string,
  digest: string,
): Promise<boolean> {
  if (!stored.startsWith(SCHEME)) return stored === digest;
  const tenant = (await tenantOf(store, runId)) ?? '';
  const seen = new Set<string>();
  for await (const { lean } of commitsFrom(store, runId)) {
    const name = lean.refs?.[KEY_PLACE];
    if (name === undefined || seen.has(name)) continue;
    seen.add(name);
    const key = await readDataKey({ store, ring, tenant }, name, { stream: runId, seq: lean.firstSeq });
    if (key === undefined || keyedDigest(key, digest) === stored) return true;
  }
  return false;
}
