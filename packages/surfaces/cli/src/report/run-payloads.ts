import { SignalboxError, type StoredEvent } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { commitsFrom, KEY_PLACE, parseStatePath } from '@signalbox/runtime';

/** A value that stands apart from the log, where an event refers to it. */
export interface RunPayload {
  readonly digest: string;
  readonly seq: number;
  readonly type: string;
  /** Where it stands in the event's data, such as `output`; `key` is that of all that is sensitive. */
  readonly member: string;
  /** Of a change of the state: the key. */
  readonly key: string | null;
  readonly erased: boolean;
}

const PLACE = /^(\d+)\/(?:changes\/(\d+)\/value|(.+))$/;

export async function runPayloads(store: EventStore, runId: string, tenant: string): Promise<readonly RunPayload[]> {
  const found: RunPayload[] = [];
  for await (const { lean } of commitsFrom(store, runId))
    for (const [place, digest] of Object.entries(lean.refs ?? {})) {
      if (place === KEY_PLACE && found.some(payload => payload.digest === digest)) continue;
      const [, index = '0', change, named] = PLACE.exec(place) ?? [];
      const member = named ?? (place === KEY_PLACE ? KEY_PLACE : 'changes');
      const event = lean.events[Number(index)]!;
      const key = change === undefined ? null : keyOf(event, Number(change));
      const erased = await store.payloadErased(tenant, digest);
      found.push({ digest, seq: lean.firstSeq + Number(index), type: event.type, member, key, erased });
    }
  return found;
}

function keyOf({ data }: StoredEvent, change: number): string | null {
  const changes = data.changes as unknown as readonly { readonly key?: string }[];
  return changes[change]?.key ?? null;
}

const DIGEST = /^[0-9a-f]{6,64}$/;

/**
 * The payloads that are meant: those of a key of the state, or the one whose digest is given or begins so.
 *
 * @throws SignalboxError `UnknownPayload`, `AmbiguousTarget`, `InvalidPath`
 */
export function payloadsNamed(payloads: readonly RunPayload[], what: string): readonly RunPayload[] {
  const digests = new Set(DIGEST.test(what) ? payloads.map(({ digest }) => digest) : []);
  const begun = [...digests].filter(digest => digest.startsWith(what));
  if (begun.length > 1)
    throw new SignalboxError('AmbiguousTarget', `Several payloads begin with ${what}.`, {
      hint: 'Give more of the digest.',
      details: { payloads: begun },
    });
  if (begun.length === 1) return payloads.filter(({ digest }) => digest === begun[0]);
  const { key, rest } = parseStatePath(what);
  const ofKey = rest.length > 0 ? [] : payloads.filter(payload => payload.key === key);
  if (ofKey.length > 0) return ofKey;
  throw new SignalboxError('UnknownPayload', `No value of this run that can be erased is called ${what}.`, {
    hint: 'See `signalbox erase RUN`: large values stand apart from the log and can be erased, whole; others cannot.',
    details: { what },
  });
}
