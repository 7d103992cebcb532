import type { EventStore, KeyRing } from '@signalbox/ports';
import { tenantOf } from '../log/payloads.ts';
import { commitsFrom } from '../log/run-log.ts';
import { KEY_PLACE, readDataKey } from './data-key.ts';
import { isKeyedDigest, keyedDigest } from './keyed-digest.ts';

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
  if (!isKeyedDigest(stored)) return stored === digest;
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
