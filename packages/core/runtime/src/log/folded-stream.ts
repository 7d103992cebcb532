import { type Commit, commitMillis, commitTime, type Principal, type StoredEvent } from '@signalbox/kernel';
import type { Append, EventStore } from '@signalbox/ports';
import { openCommit, sha256, toAppend } from './commit-codec.ts';
import type { Payload } from './payload.ts';
import { type LeanCommit, refsOf } from './payloads.ts';

/** Where an event stands: its sequence number, and its commit's time (epoch ms) and actor. */
export interface Place {
  readonly seq: number;
  readonly at: number;
  readonly actor: Principal;
  /** Members that stand apart from the log, by digest; absent: none. */
  readonly refs?: Readonly<Record<string, string>>;
}

/** How the events of a stream that is not a run's become what they say together. */
export interface Folding<Folded> {
  /** Tells its snapshots from those of other streams and releases. */
  readonly format: number;
  /** Nobody asks for a moment of the past: of its snapshots the last is enough. */
  readonly onlyLast?: true;
  empty(): Folded;
  /** Changes `folded`. An event of a later release says nothing to this one. */
  apply(folded: Folded, event: StoredEvent, place: Place): void;
  /** As JSON and back. */
  encode(folded: Folded): unknown;
  decode(body: never): Folded;
}

/** What an append leads to: the batch's part, to be called `landed` when the store has it. */
export interface Prepared {
  readonly append: Append;
  readonly payloads: readonly Payload[];
  landed(): Promise<void>;
}

/** Takes what is large out of a commit. */
export type Lean = (commit: Commit) => LeanCommit;

const asItIs: Lean = commit => ({ commit, payloads: [] });

const PAGE = 500;
/** Commits folded beyond the last snapshot before there is another. */
const SNAPSHOT_EVERY = 500;

interface SnapshotBody {
  readonly at: number;
  readonly hash?: string;
  readonly body: never;
}

/**
 * A stream beside those of runs, as this process has read it.
 *  1. An append lands only where the reading ends; else it rejects with a `StoreConflict`, and `refresh` reads on.
 *  2. A snapshot is disposable: one that is missing, damaged or of another release is passed over, and the log is folded.
 */
export class FoldedStream<Folded> {
  readonly stream: string;
  readonly #store: EventStore;
  readonly #folding: Folding<Folded>;
  #folded: Folded;
  #seq = 0;
  #at = 0;
  #hash: string | undefined;
  #tail = 0;

  constructor(store: EventStore, stream: string, folding: Folding<Folded>) {
    this.#store = store;
    this.stream = stream;
    this.#folding = folding;
    this.#folded = folding.empty();
  }

  /** Changed by `refresh` and by what has landed. */
  get folded(): Folded {
    return this.#folded;
  }

  /** Sequence number of the last event read; 0 of a stream that is not there. */
  get seq(): number {
    return this.#seq;
  }

  /** Reads what others have written. */
  async refresh(): Promise<void> {
    if (this.#seq === 0) await this.#readSnapshot();
    for (;;) {
      const page = await this.#store.read(this.stream, { fromSeq: this.#seq + 1, limit: PAGE });
      for (const stored of page) this.#apply(openCommit(stored), stored.sealed?.hash);
      if (page.length < PAGE) return;
    }
  }

  /** Reads no further than the event with that number, of a stream of which nothing was read yet. */
  async readUntil(seq: number): Promise<void> {
    await this.#readSnapshot(seq);
    while (this.#seq < seq) {
      const page = await this.#store.read(this.stream, { fromSeq: this.#seq + 1, toSeq: seq, limit: PAGE });
      for (const stored of page) this.#apply(openCommit(stored), stored.sealed?.hash, seq);
      if (page.length < PAGE) return;
    }
  }

  prepare(events: readonly object[], actor: Principal, now: number, lean: Lean = asItIs): Prepared {
    const { commit, payloads } = lean({
      stream: this.stream,
      firstSeq: this.#seq + 1,
      at: commitTime(Math.max(now, this.#at)),
      actor,
      ...(this.#hash === undefined ? {} : { prev: this.#hash }),
      events: events as unknown as StoredEvent[],
    });
    const append = toAppend(commit);
    return {
      append,
      payloads,
      landed: async () => {
        this.#apply(commit, this.#store.features.chained ? append.seal().hash : undefined);
        // What has landed has landed: a snapshot that cannot be written is tried again as many commits later.
        if (this.#tail >= SNAPSHOT_EVERY) await this.#saveSnapshot().catch(() => {});
      },
    };
  }

  /** Two calls may have read the same commits at the same time; each is applied once. */
  #apply(commit: Commit, hash: string | undefined, until = Number.POSITIVE_INFINITY): void {
    if (commit.firstSeq !== this.#seq + 1) return;
    const at = commitMillis(commit.at);
    for (const [index, event] of commit.events.entries()) {
      const seq = commit.firstSeq + index;
      const refs = commit.refs === undefined ? {} : { refs: refsOf(commit, index) };
      if (seq <= until) this.#folding.apply(this.#folded, event, { seq, at, actor: commit.actor, ...refs });
    }
    this.#seq = Math.min(this.#seq + commit.events.length, until);
    this.#at = at;
    this.#hash = hash;
    this.#tail += 1;
  }

  async #readSnapshot(maxSeq?: number): Promise<void> {
    const snapshot = await this.#store.snapshot(this.stream, maxSeq);
    if (snapshot === undefined || snapshot.format !== this.#folding.format || this.#seq > 0) return;
    const content = snapshot.body.slice(64);
    if (sha256(content) !== snapshot.body.slice(0, 64)) return;
    const { at, hash, body } = JSON.parse(content) as SnapshotBody;
    this.#folded = this.#folding.decode(body);
    this.#seq = snapshot.seq;
    this.#at = at;
    this.#hash = hash;
  }

  async #saveSnapshot(): Promise<void> {
    const content = JSON.stringify({ at: this.#at, hash: this.#hash, body: this.#folding.encode(this.#folded) });
    const seq = this.#seq;
    this.#tail = 0;
    const { format, onlyLast } = this.#folding;
    await this.#store.saveSnapshot({ stream: this.stream, seq, format, body: sha256(content) + content }, []);
    if (!onlyLast) return;
    const older = (await this.#store.snapshotSeqs(this.stream)).filter(each => each < seq);
    if (older.length > 0) await this.#store.dropSnapshots(this.stream, older);
  }
}
