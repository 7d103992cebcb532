import type { Commit } from '@signalbox/kernel';
import type { EventStore, KeyRing } from '@signalbox/ports';
import { tenantOf } from '../log/payloads.ts';
import { commitsFrom } from '../log/run-log.ts';
import { KEY_PLACE, type RefPlace, readDataKey } from './data-key.ts';
import { isKeyedDigest, keyedDigest } from './keyed-digest.ts';

/** A digest that a store keeps of a run beside its log. */
export interface StoredDigest {
  readonly runId: string;
  readonly digest: string;
  /** The outside command in whose commit it was stored. */
  readonly commandId: string;
  /** It may have been stored with the start of the run instead, if that was under this key. */
  readonly startKey?: string;
}

/**
 * Whether a digest is the one that is stored, as it is or under a key of the run.
 *  1. A run whose key was dropped goes on with another. Which one a digest is under, the commit says that it was stored in:
 *     the last that is named by then.
 *  2. Where that very key was dropped nobody can tell any more, and it counts as the one. That another was dropped tells nothing.
 *
 * @throws SignalboxError `KeyMissing`, `LogUnreadable`
 */
export async function isStoredDigest(
  { store, keys: ring }: { readonly store: EventStore; readonly keys: KeyRing },
  stored: StoredDigest,
  digest: string,
): Promise<boolean> {
  if (!isKeyedDigest(stored.digest)) return stored.digest === digest;
  const named = await keyOf(store, stored);
  if (named === undefined) return false;
  const tenant = (await tenantOf(store, stored.runId)) ?? '';
  const key = await readDataKey({ store, ring, tenant }, named.key, named);
  return key === undefined || keyedDigest(key, digest) === stored.digest;
}

interface NamedKey extends RefPlace {
  readonly key: string;
}

/** A fork has the commands of its past in its log, too; what is stored under the same id is of its own, the last. */
async function keyOf(store: EventStore, { runId, commandId, startKey }: StoredDigest): Promise<NamedKey | undefined> {
  let named: NamedKey | undefined;
  let own: NamedKey | undefined;
  for await (const { lean } of commitsFrom(store, runId)) {
    const key = lean.refs?.[KEY_PLACE];
    if (key !== undefined) named = { key, stream: runId, seq: lean.firstSeq };
    if (startKey !== undefined && isStartUnder(startKey, lean)) return named;
    if (lean.commands?.includes(commandId) === true) own = named;
  }
  return own;
}

function isStartUnder(startKey: string, { events: [first] }: Commit): boolean {
  return first?.type === 'run.started' && first.data.key === startKey;
}
