import {
  applyEvent,
  type Commit,
  commitMillis,
  Draft,
  initialState,
  isJsonObject,
  isSignalboxError,
  type Run,
  type StoredEvent,
} from '@signalbox/kernel';
import type { EventStore, StoredCommit } from '@signalbox/ports';
import { sha256 } from '../log/commit-codec.ts';
import { isIntact, type Payload } from '../log/payload.ts';
import { internalize } from '../log/payloads.ts';
import { readSnapshot } from '../log/snapshots.ts';
import { isIntactKey, KEY_PLACE } from '../sensitive/data-key.ts';
import { isKnownEvent } from '../views/event-text.ts';
import { sameRun } from './same-run.ts';

export type FindingCode =
  /** No text, no JSON, not a commit, or the commit of another place. */
  | 'LogUnreadable'
  | 'HashMismatch'
  | 'PrevMismatch'
  | 'SeqGap'
  | 'TimeWentBack'
  | 'UnknownEventType'
  /** An event does not fit the run that the events before it make. */
  | 'FoldFailed'
  | 'PayloadMismatch'
  | 'PayloadMissing'
  /** A snapshot says something else than the commits up to it. */
  | 'SnapshotMismatch';

export interface Finding {
  readonly seq: number;
  readonly code: FindingCode;
  readonly reason: string;
}

export interface StreamReport {
  readonly ok: boolean;
  readonly stream: string;
  /** Counted up to the first fault. */
  readonly commits: number;
  readonly events: number;
  /** Where the checked part ends; without a hash in a store without a chain. */
  readonly head?: { readonly seq: number; readonly hash?: string };
  readonly firstBad?: Finding;
}

const PAGE = 500;

/**
 * Checks one stream from its first commit to its last: that every text is the one that was hashed, that each hash holds the
 * one before it, numbers without a gap, times that never go back, events that this version knows and that fold, and
 * payloads that match their digests, snapshots that say what the commits say. An erased payload is no fault. Ends at the first fault. A chain alone cannot tell that
 * its end was cut off or that all of it was written anew: see `checkHeads`.
 */
export async function verifyStream(store: EventStore, stream: string): Promise<StreamReport> {
  const walk = new StreamWalk(store, stream);
  const snapshots = await snapshotPlaces(store, stream);
  for (let next = 1; ; ) {
    const page = await store.read(stream, { fromSeq: next, limit: PAGE });
    for (const stored of page) {
      if (!(await walk.check(stored))) return walk.report();
      if (snapshots.delete(stored.lastSeq) && !(await walk.checkSnapshot(store))) return walk.report();
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) break;
    next = last.lastSeq + 1;
  }
  for (const seq of snapshots) walk.fail(seq, 'SnapshotMismatch', 'a snapshot was made where no commit ends');
  return walk.report();
}

/** Where snapshots of a stream stand that would be believed; one that is not whole is passed over by everybody. */
async function snapshotPlaces(store: EventStore, stream: string): Promise<Set<number>> {
  const places = new Set<number>();
  for (let next: number | undefined; ; ) {
    const snapshot = await store.snapshot(stream, next);
    if (snapshot === undefined) return places;
    if ((await readSnapshot(store, stream, snapshot.seq)) !== undefined) places.add(snapshot.seq);
    next = snapshot.seq - 1;
  }
}

/** Every stream, in the order of names. */
export async function* verifyAll(store: EventStore, prefix = ''): AsyncGenerator<StreamReport> {
  for await (const stream of allStreams(store, prefix)) yield await verifyStream(store, stream);
}

export async function* allStreams(store: EventStore, prefix = ''): AsyncGenerator<string> {
  for (let after: string | undefined; ; ) {
    const page = await store.streams({ prefix, limit: PAGE, ...(after === undefined ? {} : { after }) });
    yield* page;
    after = page.at(-1);
    if (after === undefined || page.length < PAGE) return;
  }
}

class Fault extends Error {
  readonly finding: Finding;

  constructor(seq: number, code: FindingCode, reason: string) {
    super(reason);
    this.finding = { seq, code, reason };
  }
}

/** What the log's own readers refuse is a fault here too. */
function findingOf(error: unknown): Finding {
  if (error instanceof Fault) return error.finding;
  if (!isSignalboxError(error) || error.code !== 'LogUnreadable') throw error;
  const { seq, reason } = error.details as { seq: number; reason: string };
  return { seq, code: 'LogUnreadable', reason };
}

/** Where the payloads of a stream are found. */
export type PayloadSource = Pick<EventStore, 'payload' | 'payloadErased'>;

/** What has been seen of one stream so far. */
export class StreamWalk {
  readonly #store: PayloadSource;
  readonly #stream: string;
  #commits = 0;
  #events = 0;
  #seq = 0;
  #hash: string | undefined;
  #at = '';
  #tenant = '';
  /** Of a run's stream only; others are not folded here. */
  #draft: Draft | undefined;
  #firstBad: Finding | undefined;

  constructor(store: PayloadSource, stream: string) {
    this.#store = store;
    this.#stream = stream;
  }

  /** The run that the checked part makes; undefined for a stream that is not a run's. */
  get run(): Run | undefined {
    return this.#draft?.run;
  }

  /** False at a fault; nothing after it is looked at. */
  async check(stored: StoredCommit): Promise<boolean> {
    try {
      const commit = this.#read(stored);
      this.#checkPlace(stored, commit);
      this.#checkTime(commit);
      this.#begin(commit);
      for (const [place, digest] of Object.entries(commit.refs ?? {}))
        await this.#checkPayload(commit.firstSeq, digest, place === KEY_PLACE ? isIntactKey : isIntact);
      // `internalize` reads payloads and nothing else.
      this.#fold(await internalize(this.#store as EventStore, this.#tenant, commit));
      this.#commits += 1;
      this.#events += commit.events.length;
      this.#seq = stored.lastSeq;
      this.#hash = stored.sealed?.hash;
      return true;
    } catch (error) {
      this.#firstBad = findingOf(error);
      return false;
    }
  }

  /** Compares the snapshot that stands here with what the commits make. */
  async checkSnapshot(store: EventStore): Promise<boolean> {
    const snapshot = await readSnapshot(store, this.#stream, this.#seq);
    if (snapshot?.run.seq !== this.#seq) return true; // It was dropped meanwhile.
    const { run } = this;
    if (run === undefined || !sameRun(run, snapshot.run) || (this.#hash ?? snapshot.hash) !== snapshot.hash)
      this.fail(this.#seq, 'SnapshotMismatch', 'its snapshot says something else than its commits');
    return this.#firstBad === undefined;
  }

  fail(seq: number, code: FindingCode, reason: string): void {
    this.#firstBad ??= { seq, code, reason };
  }

  report(): StreamReport {
    const hash = this.#hash === undefined ? {} : { hash: this.#hash };
    return {
      ok: this.#firstBad === undefined,
      stream: this.#stream,
      commits: this.#commits,
      events: this.#events,
      ...(this.#seq === 0 ? {} : { head: { seq: this.#seq, ...hash } }),
      ...(this.#firstBad === undefined ? {} : { firstBad: this.#firstBad }),
    };
  }

  #read(stored: StoredCommit): Commit {
    const seq = this.#seq + 1;
    if (stored.firstSeq !== seq) throw new Fault(seq, 'SeqGap', `the next commit begins at ${stored.firstSeq}`);
    if (stored.commit !== undefined) return stored.commit;
    const { sealed } = stored;
    if (sealed === undefined) throw new Fault(seq, 'LogUnreadable', 'it has no content');
    if (sha256(sealed.text) !== sealed.hash) throw new Fault(seq, 'HashMismatch', 'its text does not match its hash');
    return readCommit(sealed.text, seq);
  }

  #checkPlace({ lastSeq, sealed }: StoredCommit, commit: Commit): void {
    const seq = this.#seq + 1;
    if (commit.stream !== this.#stream)
      throw new Fault(seq, 'LogUnreadable', `it is a commit of ${JSON.stringify(commit.stream)}`);
    if (commit.firstSeq !== seq) throw new Fault(seq, 'SeqGap', `its text says that it begins at ${commit.firstSeq}`);
    if (commit.firstSeq + commit.events.length - 1 !== lastSeq)
      throw new Fault(seq, 'SeqGap', `it holds ${commit.events.length} events but stands for ${seq} to ${lastSeq}`);
    if (sealed !== undefined && commit.prev !== this.#hash)
      throw new Fault(seq, 'PrevMismatch', 'it does not hold the hash of the commit before it');
  }

  #checkTime({ at, firstSeq }: Commit): void {
    if (!TIME.test(at) || Number.isNaN(commitMillis(at)))
      throw new Fault(firstSeq, 'LogUnreadable', `its time is ${JSON.stringify(at)}`);
    if (at < this.#at) throw new Fault(firstSeq, 'TimeWentBack', `it is of ${at}, the one before it of ${this.#at}`);
    this.#at = at;
  }

  /** Every stream begins with whose it is, a run's with its start. */
  #begin({ firstSeq, events: [first] }: Commit): void {
    if (firstSeq !== 1 || first === undefined) return;
    this.#tenant = String(first.data.tenant);
    if (first.type === 'run.started') this.#draft = new Draft(initialState());
  }

  #fold(commit: Commit): void {
    if (this.#draft === undefined) return;
    this.#draft.run.at = commitMillis(commit.at);
    for (const [index, event] of commit.events.entries()) this.#foldEvent(this.#draft, event, commit.firstSeq + index);
  }

  #foldEvent(draft: Draft, event: StoredEvent, seq: number): void {
    if (!isKnownEvent(event))
      throw new Fault(seq, 'UnknownEventType', `${event.type} version ${event.v ?? 1} is not known here`);
    try {
      applyEvent(draft, event);
    } catch (error) {
      throw new Fault(seq, 'FoldFailed', error instanceof Error ? error.message : String(error));
    }
  }

  async #checkPayload(seq: number, digest: string, fits: (payload: Payload) => boolean): Promise<void> {
    const text = await this.#store.payload(this.#tenant, digest);
    if (text !== undefined && !fits({ digest, text }))
      throw new Fault(seq, 'PayloadMismatch', `payload ${digest} does not match its digest`);
    if (text === undefined && !(await this.#store.payloadErased(this.#tenant, digest)))
      throw new Fault(seq, 'PayloadMissing', `payload ${digest} is not there, and was not erased`);
  }
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function readCommit(text: string, seq: number): Commit {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Fault(seq, 'LogUnreadable', error instanceof Error ? error.message : String(error));
  }
  const reason = notACommit(value);
  if (reason !== undefined) throw new Fault(seq, 'LogUnreadable', reason);
  return value as Commit;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** What keeps a value from being a commit, or undefined. */
export function notACommit(value: unknown): string | undefined {
  if (!isJsonObject(value)) return 'it is no object';
  const { stream, firstSeq, at, actor, refs, events } = value;
  if (typeof stream !== 'string') return 'it names no stream';
  if (!Number.isInteger(firstSeq)) return 'it has no sequence number';
  if (typeof at !== 'string') return 'it has no time';
  if (!isJsonObject(actor)) return 'it has no actor';
  if (refs !== undefined && (!isJsonObject(refs) || !Object.values(refs).every(isText)))
    return 'its references are none';
  if (!Array.isArray(events) || events.length === 0) return 'it has no events';
  return events.every(event => isJsonObject(event) && typeof event.type === 'string' && isJsonObject(event.data))
    ? undefined
    : 'it holds something that is no event';
}
