import type { Commit } from '@signalbox/kernel';

/**
 * The event store.
 *
 * Invariants every implementation keeps (the conformance suite checks them):
 *  1. `commit` is all or nothing, over all its appends, rows and keys.
 *  2. An append lands only if its stream's last sequence number equals `expectedSeq`, and the hash of its last commit
 *     `expectedHash` where one is given and the store is chained; otherwise nothing of the batch lands and the promise rejects with a {@link StoreConflict}. No conflict is swallowed, none is retried inside.
 *  3. Sequence numbers of a stream start at 1 and have no gap; commits are read back in order, byte for byte.
 *  4. (stream, command id) is unique for the life of the stream; (tenant, start key) is unique for ever.
 *  5. Nothing can still appear before a feed cursor that was given out.
 *  6. When `commit` resolves under `sync: true` the batch survives the loss of power; under `sync: false` the death of
 *     the process. A commit with `sync: true` also makes every earlier commit survive.
 *  7. Rows are computed outside: a store has no domain logic and never reads a commit's text.
 *  8. What is handed in is not changed; a row or list that is handed out is the caller's own. Commits, in and out, are
 *     shared and read-only.
 *  9. Commits that are called without waiting for one another land in the order of the calls.
 * 10. After `close` every call rejects with `StoreClosed`; commits that were called before it land first.
 *
 * A read that begins after a commit has resolved sees it, in this store object and, where the data are the same, in others.
 * A cursor that the store did not give out rejects with `InvalidCursor`.
 */
export interface EventStore {
  readonly features: StoreFeatures;
  commit(batch: CommitBatch, options: CommitOptions): Promise<void>;
  /** Commits of one stream that hold events with `fromSeq` ≤ seq ≤ `toSeq`, in order; at most `limit` commits (default 1,000). */
  read(stream: string, options?: { fromSeq?: number; toSeq?: number; limit?: number }): Promise<StoredCommit[]>;
  /** Last sequence number and hash of a stream, or undefined when it has none. */
  head(stream: string): Promise<StreamHead | undefined>;
  /** All streams in commit order. `after` is a cursor this store gave out; absent: from the beginning. `limit` counts commits (default 1,000). */
  feed(options: { after?: string; limit?: number }): Promise<FeedPage>;
  /** A cursor behind every commit that is there now. */
  feedEnd(): Promise<string>;
  /** Names of streams with commits that start with `prefix`, in code point order, after the name `after`; default limit 1,000. */
  streams(options: { prefix?: string; after?: string; limit?: number }): Promise<string[]>;

  /** The outcome stored with a command id, or undefined. */
  commandOutcome(stream: string, commandId: string): Promise<string | undefined>;
  startKey(tenant: string, key: string): Promise<StartKey | undefined>;

  runs(query: RunQuery): Promise<Page<RunRow>>;
  run(runId: string): Promise<RunRow | undefined>;
  requests(query: RequestQuery): Promise<Page<RequestRow>>;
  request(requestId: string): Promise<RequestRow | undefined>;
  /** Runs with `dueAt` ≤ `now` whose owner is absent, is `owner`, or holds no live lease; earliest first. */
  due(query: DueQuery): Promise<DueRun[]>;
  /** The earliest `dueAt` > `now` of any run, or undefined. */
  nextDue(now: number): Promise<number | undefined>;
  /** Declares `owner` alive until `until` (epoch ms, first instant at which it no longer is); `until: 0` releases all it held. */
  lease(owner: string, until: number): Promise<void>;

  /** Newest snapshot of a stream with seq ≤ `maxSeq`; one saved again at the same seq replaces the first. Snapshots are disposable: losing one loses no data. */
  snapshot(stream: string, maxSeq?: number): Promise<Snapshot | undefined>;
  /** `chunks` holds only chunks that no earlier snapshot of the stream brought. */
  saveSnapshot(snapshot: Snapshot, chunks: readonly SnapshotChunk[]): Promise<void>;
  chunks(stream: string, ids: readonly string[]): Promise<SnapshotChunk[]>;
  /** Where snapshots of a stream stand, ascending. */
  snapshotSeqs(stream: string): Promise<number[]>;
  /** All snapshots of a stream and their chunks; with `seqs` those snapshots alone, while all chunks stay. */
  dropSnapshots(stream: string, seqs?: readonly number[]): Promise<void>;

  /** Undefined when unknown or erased; `payloadErased` tells which. */
  payload(tenant: string, digest: string): Promise<string | undefined>;
  payloadErased(tenant: string, digest: string): Promise<boolean>;

  /** Content-addressed, immutable texts: graph definitions, contracts, prompts. */
  document(kind: string, hash: string): Promise<string | undefined>;
  /** In the order in which they were stored. */
  documents(kind: string, name?: string): Promise<DocumentRow[]>;
  label(tenant: string, kind: string, name: string, label: string): Promise<string | undefined>;
  /** By name, then label. */
  labels(tenant: string, kind: string, name?: string): Promise<LabelRow[]>;

  /** Adds up over all processes; read with the value after all commits so far. */
  counter(tenant: string, key: string): Promise<number>;

  /** Calls `fn` soon (within 100 ms) after another process (or store object) committed to the same data. Returns the way to stop. */
  onForeignCommit(fn: () => void): () => void;
  /** Findings about the store itself (integrity, versions, settings), for `doctor`. */
  inspect(): Promise<StoreInspection>;
  close(): Promise<void>;
}

export interface CommitOptions {
  /** Invariant 6. */
  readonly sync: boolean;
  /** More of this stream comes before anybody waits for this: a store that gathers commits may wait for a moment. */
  readonly followed?: boolean;
  /**
   * Called, by a store that can tell, when the batch survives the death of the process while its sync is still to come:
   * before the promise resolves, and at most once. Who gives this lets the sync wait for that of a commit that comes in
   * the same turn of the event loop, and for no longer.
   */
  readonly written?: (() => void) | undefined;
}

export interface StoreFeatures {
  readonly name: string;
  /** False: commits are kept as objects, without text and hash chain; `Append.seal` is not called. Default true. */
  readonly chained: boolean;
  /** True when what was committed outlives the process. */
  readonly durable: boolean;
  /** How many commits it writes together at most; who has more at once need not hand them in before. Absent: as they come. */
  readonly group?: number;
}

export interface CommitBatch {
  /** Applied in order: a second append to a stream expects the last seq of the first. */
  readonly appends: readonly Append[];
  /** An id that its stream has seen already is a conflict, whatever the outcome. */
  readonly commands?: readonly { stream: string; id: string; outcome: string }[];
  /** A key that its tenant has used already is a conflict, also with the same digest. */
  readonly startKey?: StartKey & { readonly tenant: string; readonly key: string };
  /** A row replaces the one of its id. */
  readonly runs?: readonly RunRow[];
  readonly requests?: readonly RequestRow[];
  readonly counters?: readonly CounterChange[];
  /** Bytes that are there already stay; a digest that was erased stays erased. */
  readonly payloads?: readonly { tenant: string; digest: string; text: string }[];
  /** Bytes in the place of those that are there, which are erased from the files; where there are none, or erased ones, nothing happens. */
  readonly replacements?: readonly { tenant: string; digest: string; text: string }[];
  /** Erases the bytes, also from the files, and those of this batch; the digest stays known as erased, even if it was unknown. */
  readonly erasures?: readonly { tenant: string; digest: string }[];
  /** One that is there already (kind, name, hash) stays as it is. */
  readonly documents?: readonly (DocumentRow & { readonly text: string })[];
  /** A label is a pointer: the last one set holds. */
  readonly labels?: readonly (LabelRow & { readonly tenant: string })[];
}

/** Changes are applied in order, each to what the one before has left. */
export interface CounterChange {
  readonly tenant: string;
  readonly key: string;
  readonly add: number;
  /** With it the counter may come to at most this: a change that would pass it is a conflict. */
  readonly max?: number;
}

export interface Append {
  readonly stream: string;
  readonly expectedSeq: number;
  /** The hash before, as the commit's text holds it: a stream that others have brought to the same length is another one. */
  readonly expectedHash?: string | undefined;
  /** Greater than `expectedSeq`, else `InvalidAppend`. */
  readonly lastSeq: number;
  readonly commit: Commit;
  /** The text to store and its hash, made once, on first call. */
  seal(): Sealed;
}

export interface Sealed {
  readonly text: string;
  /** Lower-case hex SHA-256 over `text`. */
  readonly hash: string;
}

export interface StoredCommit {
  readonly stream: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Exactly one of `sealed` and `commit` is there, by `features.chained`. */
  readonly sealed?: Sealed;
  readonly commit?: Commit;
}

export interface StreamHead {
  readonly seq: number;
  readonly hash: string | undefined;
}

export interface FeedPage {
  readonly commits: readonly StoredCommit[];
  /** Of each commit the cursor that goes on right behind it; the last is `cursor`. */
  readonly cursors: readonly string[];
  /** Opaque; hand it back as `after`. Given even when the page is empty. */
  readonly cursor: string;
}

export interface StartKey {
  readonly runId: string;
  /** Digest of graph name and input: the same key with another digest is a conflict. */
  readonly digest: string;
}

export interface RunRow {
  readonly tenant: string;
  readonly runId: string;
  readonly graph: string;
  readonly version: string;
  readonly status: string;
  /** Why it is in that status: `question`, `timer`, `codeChanged`, an error code … */
  readonly reason: string | null;
  readonly session: string | null;
  readonly key: string | null;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Epoch ms at which somebody has to look at this run; null when only an outside command can move it. */
  readonly dueAt: number | null;
  /** The process that drives it, or null. */
  readonly owner: string | null;
}

export interface RequestRow {
  readonly tenant: string;
  readonly requestId: string;
  readonly runId: string;
  readonly session: string | null;
  readonly kind: string;
  readonly title: string;
  readonly status: 'open' | 'answered' | 'expired' | 'withdrawn' | 'superseded';
  readonly assignees: readonly string[];
  readonly openedAt: number;
  readonly deadlineAt: number | null;
}

export interface RunQuery {
  readonly tenant: string;
  /** Any of these; an empty list finds nothing. */
  readonly status?: readonly string[];
  readonly graph?: string;
  readonly session?: string;
  /** Newest first by `createdAt`; `after` is `next` of the page before. Default limit 100. */
  readonly after?: string;
  readonly limit?: number;
}

export interface RequestQuery {
  readonly tenant: string;
  readonly status?: RequestRow['status'];
  readonly runId?: string;
  readonly session?: string;
  /** Requests assigned to any of these, or to nobody. Absent: all. */
  readonly assignees?: readonly string[];
  /** Oldest first by `openedAt`; `after` is `next` of the page before. Default limit 100. */
  readonly after?: string;
  readonly limit?: number;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Undefined when this was the last page. */
  readonly next: string | undefined;
}

export interface DueQuery {
  /** Epoch ms. */
  readonly now: number;
  readonly owner: string;
  readonly limit: number;
  /** Those behind this one, which the same query gave out; among runs of one time the order is the store's, and stays. */
  readonly after?: Pick<DueRun, 'runId' | 'dueAt'>;
  /** This run alone. */
  readonly runId?: string;
}

export interface DueRun {
  readonly runId: string;
  readonly dueAt: number;
  readonly owner: string | null;
}

export interface Snapshot {
  readonly stream: string;
  readonly seq: number;
  /** The semantics of the snapshot format; a reader that does not know it ignores the snapshot. */
  readonly format: number;
  readonly body: string;
}

export interface SnapshotChunk {
  readonly id: string;
  readonly text: string;
}

export interface DocumentRow {
  readonly kind: string;
  readonly name: string;
  readonly hash: string;
  readonly createdAt: number;
}

export interface LabelRow {
  readonly kind: string;
  readonly name: string;
  readonly label: string;
  readonly hash: string;
}

export interface StoreInspection {
  readonly ok: boolean;
  readonly facts: Readonly<Record<string, string | number | boolean>>;
  readonly problems: readonly string[];
}
