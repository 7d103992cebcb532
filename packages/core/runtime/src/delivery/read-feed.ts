import type { StoredEvent } from '@signalbox/kernel';
import { DELIVERY_TYPES, type DeliveryType, type EventStore, type StoredCommit } from '@signalbox/ports';
import { openCommit } from '../log/commit-codec.ts';
import type { QueuedMessage } from './delivery-event.ts';

const TYPES: ReadonlySet<string> = new Set(DELIVERY_TYPES);

/** Is it one that channels may hear of? */
export function isDelivered({ type }: Pick<StoredEvent, 'type'>): boolean {
  return TYPES.has(type);
}

export interface FeedSpan {
  readonly messages: readonly QueuedMessage[];
  /** Behind all that was read. */
  readonly cursor: string;
  /** Commits read. */
  readonly commits: number;
  /** There is nothing behind it for now. */
  readonly isEnd: boolean;
  /** Commits that cannot be read: nobody can know what they held. */
  readonly unreadable: readonly { readonly stream: string; readonly error: unknown }[];
}

export interface FeedFilter {
  readonly tenant: string;
  readonly types: ReadonlySet<DeliveryType>;
}

const PAGE = 500;

/**
 * What the next page of the feed holds for a channel. An event counts only in the run that its request's row names: a
 * fork's log holds its parent's questions too.
 */
export async function readFeed(store: EventStore, after: string | undefined, filter: FeedFilter): Promise<FeedSpan> {
  const page = await store.feed({ limit: PAGE, ...(after === undefined ? {} : { after }) });
  const messages: QueuedMessage[] = [];
  const unreadable: { stream: string; error: unknown }[] = [];
  for (const stored of page.commits) {
    if (!mayTell(stored)) continue;
    let found: readonly QueuedMessage[] = [];
    try {
      found = [...messagesOf(stored, filter.types)];
    } catch (error) {
      unreadable.push({ stream: stored.stream, error });
    }
    // A store that cannot be reached is no unreadable commit: it throws, and the page is read again.
    for (const message of found) if (await isOurs(store, filter.tenant, message)) messages.push(message);
  }
  return { messages, cursor: page.cursor, commits: page.commits.length, isEnd: page.commits.length < PAGE, unreadable };
}

/** Spares the parsing of most commits. */
function mayTell({ sealed }: StoredCommit): boolean {
  return sealed === undefined || sealed.text.includes('"type":"request.');
}

function* messagesOf(stored: StoredCommit, types: ReadonlySet<DeliveryType>): Generator<QueuedMessage> {
  const { stream: run, firstSeq, events } = openCommit(stored);
  for (const [index, { type, data }] of events.entries())
    if (types.has(type as DeliveryType) && typeof data.request === 'string')
      yield { run, seq: firstSeq + index, type: type as DeliveryType, request: data.request };
}

async function isOurs(store: EventStore, tenant: string, { run, request }: QueuedMessage): Promise<boolean> {
  const row = await store.request(request);
  return row?.runId === run && row.tenant === tenant;
}
