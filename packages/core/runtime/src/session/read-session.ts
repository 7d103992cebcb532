import { commitMillis, commitTime, isSignalboxError, type JsonObject } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { openCommit } from '../log/commit-codec.ts';
import { FoldedStream } from '../log/folded-stream.ts';
import { payloadValue, refsOf } from '../log/payloads.ts';
import { type Point, seqAt } from '../views/instants.ts';
import type { SessionEvents } from './session-event.ts';
import { SESSION_PREFIX, type SessionPlace, unknownSession } from './session-id.ts';
import { type KeptMessage, SESSION, type SessionMessage, type SessionRecord, toMessage } from './session-record.ts';
import { type SessionStatus, sessionStatus } from './session-status.ts';

/** A session as of an event of its stream. A member that it does not have is absent. */
export interface SessionState {
  readonly id: string;
  readonly tenant: string;
  readonly user?: string;
  /** Sequence number of the last event. */
  readonly seq: number;
  readonly openedAt: string;
  readonly updatedAt: string;
  readonly state: JsonObject;
  readonly metadata: JsonObject;
  /** How many there are. */
  readonly messages: number;
  readonly runs: number;
  /** Runs that hold a place, and runs that wait for their turn, in order. */
  readonly executing: readonly string[];
  readonly queued: readonly string[];
}

export type SessionNow = SessionState & { readonly status: SessionStatus };

/** @throws SignalboxError `UnknownSession` */
export async function sessionNow(store: EventStore, place: SessionPlace): Promise<SessionNow> {
  const log = await foldSession(store, place);
  return { ...toState(place.id, log), status: await sessionStatus(store, place, log.folded) };
}

/**
 * As of a sequence number of its stream, or of a time.
 * @throws SignalboxError `UnknownSession`, `UnknownPoint`, `InvalidInstant`
 */
export async function sessionAt(store: EventStore, place: SessionPlace, point: Point): Promise<SessionState> {
  // Whoever may not know of it is not told by the point that it is there.
  await foldSession(store, place, 1);
  return toState(place.id, await foldSession(store, place, await seqAt(store, place.id, point)));
}

async function foldSession(store: EventStore, place: SessionPlace, seq?: number): Promise<FoldedStream<SessionRecord>> {
  const log = new FoldedStream(store, place.id, SESSION);
  await (seq === undefined ? log.refresh() : log.readUntil(seq));
  if (log.seq === 0 || log.folded.tenant !== place.tenant) throw unknownSession(place.id);
  return log;
}

function toState(id: string, { folded, seq }: FoldedStream<SessionRecord>): SessionState {
  const { tenant, user, openedAt, updatedAt, state, metadata, messageCount, runCount, holders, queue } = folded;
  return {
    id,
    tenant,
    ...(user === undefined ? {} : { user }),
    seq,
    openedAt: commitTime(openedAt),
    updatedAt: commitTime(updatedAt),
    state,
    metadata,
    messages: messageCount,
    runs: runCount,
    executing: holders,
    queued: queue,
  };
}

export interface MessageQuery {
  /** How many at most; default 50. */
  readonly limit?: number;
  /** Those before this one, by its `seq`; absent: the newest. */
  readonly before?: number;
}

/** Events of a session's stream that are read at once when messages are looked for. */
const SPAN = 500;

/** Messages in order, oldest first. */
export async function sessionMessages(
  store: EventStore,
  place: SessionPlace,
  { limit = 50, before }: MessageQuery = {},
): Promise<readonly SessionMessage[]> {
  const log = await foldSession(store, place);
  const { messages, messageCount } = log.folded;
  const kept = before === undefined ? messages : messages.filter(({ seq }) => seq < before);
  const isWhole = messages.length === messageCount || kept.length >= limit;
  if (isWhole) return await wholeMessages(store, place, limit === 0 ? [] : kept.slice(-limit));
  const found: KeptMessage[] = [];
  for (let high = (before ?? log.seq + 1) - 1; high >= 1 && found.length < limit; high -= SPAN)
    found.unshift(...(await messagesWithin(store, place.id, Math.max(1, high - SPAN + 1), high)));
  return await wholeMessages(store, place, found.slice(-limit));
}

/** With what stands apart from the log. */
async function wholeMessages(
  store: EventStore,
  { id: stream, tenant }: SessionPlace,
  messages: readonly KeptMessage[],
): Promise<readonly SessionMessage[]> {
  return await Promise.all(
    messages.map(async ({ payload, ...message }) =>
      payload === undefined
        ? message
        : { ...message, content: await payloadValue(store, tenant, payload, { stream, seq: message.seq }) },
    ),
  );
}

async function messagesWithin(store: EventStore, id: string, low: number, high: number): Promise<KeptMessage[]> {
  const found: KeptMessage[] = [];
  for (const stored of await store.read(id, { fromSeq: low, toSeq: high, limit: SPAN })) {
    const commit = openCommit(stored);
    for (const [index, { type, data }] of commit.events.entries()) {
      const seq = commit.firstSeq + index;
      if (type !== 'message.added' || seq < low || seq > high) continue;
      const place = { seq, at: commitMillis(commit.at), actor: commit.actor, refs: refsOf(commit, index) };
      found.push(toMessage(data as unknown as SessionEvents['message.added'], place));
    }
  }
  return found;
}

export interface SessionList {
  readonly sessions: readonly SessionNow[];
  /** Hand it back as `after`; undefined when this was the last page. */
  readonly next: string | undefined;
}

/** Sessions of a tenant in the order of their ids, which is that of their beginning where these were made here. */
export async function listSessions(
  store: EventStore,
  tenant: string,
  { after, limit = 50 }: { readonly after?: string; readonly limit?: number } = {},
): Promise<SessionList> {
  const sessions: SessionNow[] = [];
  for (let last = after; ; ) {
    const page = await store.streams({
      prefix: SESSION_PREFIX,
      limit: SPAN,
      ...(last === undefined ? {} : { after: last }),
    });
    for (const id of page) {
      if (sessions.length === limit) return { sessions, next: sessions.at(-1)?.id };
      const found = await ofTenant(store, { id, tenant });
      if (found !== undefined) sessions.push(found);
    }
    if (page.length < SPAN) return { sessions, next: undefined };
    last = page.at(-1);
  }
}

async function ofTenant(store: EventStore, place: SessionPlace): Promise<SessionNow | undefined> {
  try {
    return await sessionNow(store, place);
  } catch (error) {
    if (isSignalboxError(error) && error.code === 'UnknownSession') return undefined;
    throw error;
  }
}
