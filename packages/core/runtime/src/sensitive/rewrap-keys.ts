import { isSignalboxError } from '@signalbox/kernel';
import type { EventStore, KeyRing, StoredCommit } from '@signalbox/ports';
import { openCommit, unreadable } from '../log/commit-codec.ts';
import { tenantOf } from '../log/payloads.ts';
import { isIntactKey, KEY_PLACE, type RefPlace, readDataKey, rewrappedKey, wrappedIn } from './data-key.ts';

/** What came of wrapping all keys anew. */
export interface RewrapReport {
  /** Every key is under the present one or was dropped: those before it are not needed any more. */
  readonly ok: boolean;
  readonly rewrapped: number;
  /** Those that were under the present key already. */
  readonly present: number;
  /** Those that were dropped: nothing is left to wrap. */
  readonly dropped: number;
  readonly failures: readonly RewrapFailure[];
}

export interface RewrapFailure {
  /** The run, and where in it. */
  readonly stream: string;
  readonly seq: number;
  readonly code: string;
  readonly message: string;
}

const PAGE = 500;

type Outcome = 'rewrapped' | 'present' | 'dropped';

/**
 * Wraps the key of every run under the present key of the ring, which must have those before it as well.
 *  1. Nothing but the wrapped keys is written: what is sealed under them, and the log with its chain, stay as they are.
 *  2. A key that is under the present one is left alone, so one that was interrupted goes on when it is called again; until
 *     then each key is readable, under the one or the other. One that is dropped meanwhile stays dropped.
 *  3. A key that cannot be wrapped is reported, and holds up no other.
 */
export async function rewrapKeys(store: EventStore, ring: KeyRing): Promise<RewrapReport> {
  const seen = new Set<string>();
  const counts: Record<Outcome, number> = { rewrapped: 0, present: 0, dropped: 0 };
  const failures: RewrapFailure[] = [];
  for await (const stored of commitsThatSeal(store)) {
    const { stream, firstSeq: seq } = stored;
    try {
      const digest = openCommit(stored).refs?.[KEY_PLACE];
      if (digest === undefined || seen.has(digest) || seen.has(`${stream}/${digest}`)) continue;
      // Where it fails that is told once for each run.
      seen.add(`${stream}/${digest}`);
      counts[await rewrapKey(store, ring, { stream, seq, digest })] += 1;
      seen.add(digest);
    } catch (error) {
      if (!isSignalboxError(error)) throw error;
      failures.push({ stream, seq, code: error.code, message: error.message });
    }
  }
  return { ok: failures.length === 0, ...counts, failures };
}

interface NamedKey extends RefPlace {
  readonly digest: string;
}

/** @throws SignalboxError `KeyMissing`, `LogUnreadable` */
async function rewrapKey(store: EventStore, ring: KeyRing, { stream, seq, digest }: NamedKey): Promise<Outcome> {
  const tenant = await tenantOf(store, stream);
  if (tenant === undefined) throw unreadable(stream, seq, 'whose it is is not known');
  const text = await store.payload(tenant, digest);
  const wrapped = text === undefined || !isIntactKey({ digest, text }) ? undefined : wrappedIn(text);
  if (wrapped !== undefined && ring.isPresent?.(tenant, wrapped) === true) return 'present';
  const key = await readDataKey({ store, ring, tenant }, digest, { stream, seq });
  if (key === undefined) return 'dropped';
  const replacement = { tenant, ...rewrappedKey(digest, ring.wrap(tenant, key.bytes)) };
  await store.commit({ appends: [], replacements: [replacement] }, { sync: true });
  return 'rewrapped';
}

async function* commitsThatSeal(store: EventStore): AsyncGenerator<StoredCommit> {
  for (let after: string | undefined; ; ) {
    const page = await store.feed({ limit: PAGE, ...(after === undefined ? {} : { after }) });
    for (const stored of page.commits) if (stored.sealed?.text.includes(`"${KEY_PLACE}":`) !== false) yield stored;
    if (page.commits.length < PAGE) return;
    after = page.cursor;
  }
}
