import { type Commit, commitTime, type Principal, type Program, type Run, type RunEvent } from '@signalbox/kernel';
import type { Append, CommitBatch, RequestRow, RunRow } from '@signalbox/ports';
import { type BoundsOfOps, countersOf } from '../agent/shared-accounts.ts';
import { toAppend } from '../log/commit-codec.ts';
import type { Payload } from '../log/payload.ts';
import { externalize } from '../log/payloads.ts';
import { dueTime, requestRows, runReason, runRow } from '../log/rows.ts';
import type { LoadedRun } from '../log/run-log.ts';
import { snapshotDue, writeSnapshot } from '../log/snapshots.ts';
import { Seal } from '../sensitive/seal-commit.ts';
import type { Secrets } from '../sensitive/secrets.ts';
import type { SessionEvent } from '../session/session-event.ts';
import type { SaidByRun } from '../session/sessions.ts';
import type { CommandExtras } from './command-queue.ts';
import type { DriverDeps } from './driver-deps.ts';
import { tellError } from './tell.ts';

/** Facts that survive the loss of power even under `relaxed` (design 4.6). */
const SYNCED: ReadonlySet<string> = new Set([
  'run.started',
  'request.answered',
  'request.endorsed',
  'run.completed',
  'run.failed',
  'run.cancelled',
]);

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** What goes into the store with a commit's events. */
export interface CommitParts {
  readonly actor: Principal;
  readonly firstSeq: number;
  readonly events: readonly RunEvent[];
  /** Ids of the outside commands that it carries out, with the outcomes to be kept. */
  readonly commands: readonly { readonly id: string; readonly outcome: string }[];
  readonly startKey?: CommitBatch['startKey'];
  readonly documents?: CommitBatch['documents'];
  readonly erasures?: CommitBatch['erasures'];
  readonly session?: CommandExtras['session'];
  /** Of accounts that the run shares with others, for the operations that it begins. */
  readonly bounds: BoundsOfOps;
  /** More of this run comes before anybody waits for this. */
  readonly isFollowed: boolean;
  /** See the option of that name of the store's `commit`. */
  readonly written?: (() => void) | undefined;
  /** Asked when the run's row changes: whether this process has what it takes to drive it, else the row says why. */
  readonly mayDrive: () => boolean;
}

/**
 * Writes one run's commits: the chained text, the rows that changed, payloads, and snapshots when one is due.
 * A run's row is written only when its status, owner, version or due time changes.
 */
export class RunWriter {
  readonly #deps: DriverDeps;
  #hash: string | undefined;
  #tail: { readonly commits: number; readonly bytes: number };
  #lastSnapshotBytes = 0;
  /** What its row says that may change. */
  #row: (Pick<Run, 'status' | 'owner' | 'version'> & Pick<RunRow, 'dueAt' | 'reason'>) | undefined;
  readonly #seal: Seal;
  /** The events of a commit as whoever looks sees them, where that is not as they are. */
  readonly #shown = new WeakMap<readonly RunEvent[], readonly RunEvent[]>();

  /** `tenant`: the run's, which is known from its start on. */
  constructor(deps: DriverDeps, loaded: LoadedRun | undefined, tenant: () => string) {
    this.#deps = deps;
    this.#seal = new Seal({ ring: deps.keys, tenant, salt: () => deps.ids.uuid() }, loaded?.opening);
    this.#hash = loaded?.hash;
    this.#tail = { commits: loaded?.tailCommits ?? 0, bytes: loaded?.tailBytes ?? 0 };
    this.#lastSnapshotBytes = loaded?.snapshotBytes ?? 0;
  }

  /**
   * The store is called before this returns, so that commits are written in the order of the calls.
   * @throws StoreConflict when somebody else has written to the run.
   */
  write(run: Run, program: Program, given: CommitParts): Promise<void> {
    const { store, sessions } = this.#deps;
    const parts = this.#seal.mayHold(program) ? this.#withKeyedDigests(given) : given;
    const commit = this.#commitOf(run, parts);
    const sealed = this.#seal.sealed(commit, program);
    const events = (sealed?.shown ?? parts.events) as readonly RunEvent[];
    if (sealed !== undefined) this.#shown.set(parts.events, events);
    const { append, payloads: large } = this.#append(sealed?.commit ?? commit);
    const payloads = sealed === undefined ? large : [...sealed.payloads, ...large];
    if (store.features.chained) {
      const { hash, text } = append.seal();
      this.#hash = hash;
      this.#tail = { commits: this.#tail.commits + 1, bytes: this.#tail.bytes + text.length };
    }
    const batch: Mutable<CommitBatch> = { appends: [append] };
    const row = this.#changedRow(run, program, parts.mayDrive);
    if (row !== undefined) batch.runs = [row];
    const touched = touchedRequests(parts.events);
    if (touched !== undefined) batch.requests = requestRows(program, run, touched).map(each => this.#shownRow(each));
    if (parts.commands.length > 0) batch.commands = parts.commands.map(command => ({ stream: run.id, ...command }));
    const counters = countersOf(run, parts.events, parts.bounds);
    if (counters.length > 0) batch.counters = counters;
    if (parts.startKey !== undefined) batch.startKey = parts.startKey;
    if (parts.documents !== undefined) batch.documents = parts.documents;
    if (parts.erasures !== undefined) batch.erasures = parts.erasures;
    if (payloads.length > 0) batch.payloads = payloads.map(payload => ({ tenant: run.tenant, ...payload }));
    const { isFollowed: followed, written } = parts;
    const options = { sync: parts.events.some(needsSync), followed, written };
    const isAlone = run.session === undefined && (run.user === undefined || !parts.events.some(isRemembered));
    if (isAlone) return store.commit(batch, options);
    return sessions.commit(run, this.secrets.isEmpty ? parts : this.#said(parts, events), batch, options);
  }

  get secrets(): Secrets {
    return this.#seal.secrets;
  }

  /** Digests of inputs and answers that the store keeps beside the log, by which it knows the same again. */
  #withKeyedDigests(parts: CommitParts): CommitParts {
    const { commands, startKey } = parts;
    if (commands.length === 0 && startKey === undefined) return parts;
    return {
      ...parts,
      commands: commands.map(({ id, outcome }) => ({ id, outcome: this.#withKeyedDigest(outcome) })),
      startKey: startKey && { ...startKey, digest: this.secrets.keyed(startKey.digest) },
    };
  }

  #withKeyedDigest(outcome: string): string {
    const { digest, ...rest } = JSON.parse(outcome) as { readonly digest?: unknown };
    return typeof digest === 'string' ? JSON.stringify({ digest: this.secrets.keyed(digest), ...rest }) : outcome;
  }

  /** What observers are told of a commit that was written. */
  shown(events: readonly RunEvent[]): readonly RunEvent[] {
    return this.#shown.get(events) ?? events;
  }

  /** What is sensitive stays in its run: its session and its user's memory get the mask, and remember no mask. */
  #said({ events, actor, session = [] }: CommitParts, shown: readonly RunEvent[]): SaidByRun {
    return {
      actor,
      events: shown.filter((event, at) => event === events[at] || event.type !== 'memory.written'),
      session: session.map(event => ({ ...event, data: this.secrets.masked(event.data) }) as SessionEvent),
    };
  }

  #shownRow(row: RequestRow): RequestRow {
    return { ...row, title: this.secrets.maskedText(row.title) };
  }

  /** Now, or after `more` commits that weigh nothing. Never of a run whose fold holds what is sensitive. */
  isSnapshotDue(more = 0): boolean {
    const { commits, bytes } = this.#tail;
    if (this.#seal.isUsed) return false;
    return snapshotDue({ commits: commits + more, bytes }, this.#lastSnapshotBytes);
  }

  /** Where the stream stands after the last commit that was written. */
  get place(): Omit<LoadedRun, 'run'> {
    const { secrets, key } = this.#seal;
    return {
      opening: { secrets, key },
      hash: this.#hash,
      snapshotSeq: 0,
      snapshotBytes: this.#lastSnapshotBytes,
      tailCommits: this.#tail.commits,
      tailBytes: this.#tail.bytes,
    };
  }

  /** Where there is a text, its length says whether any datum in it can be over the limit. */
  #append(commit: Commit): { append: Append; payloads: readonly Payload[] } {
    const { store, ids, payloadLimit } = this.#deps;
    const whole = toAppend(commit);
    if (store.features.chained && whole.seal().text.length <= payloadLimit) return { append: whole, payloads: [] };
    const { commit: lean, payloads } = externalize(commit, () => ids.uuid(), payloadLimit);
    return { append: payloads.length === 0 ? whole : toAppend(lean), payloads };
  }

  /** Its members stand in the order in which the text shows them. */
  #commitOf(run: Run, parts: CommitParts): Commit {
    const commit: Partial<Mutable<Commit>> = {
      stream: run.id,
      firstSeq: parts.firstSeq,
      at: commitTime(run.at),
      actor: parts.actor,
    };
    if (parts.commands.length > 0) commit.commands = parts.commands.map(command => command.id);
    commit.cause = run.requestId;
    if (this.#hash !== undefined && this.#deps.store.features.chained) commit.prev = this.#hash;
    commit.events = parts.events as Commit['events'];
    return commit as Commit;
  }

  #changedRow(run: Run, program: Program, mayDrive: () => boolean): RunRow | undefined {
    const dueAt = dueTime(run, program);
    const { status, owner, version } = run;
    const reason = runReason(run);
    const last = this.#row;
    if (
      last?.status === status &&
      last.owner === owner &&
      last.dueAt === dueAt &&
      last.version === version &&
      last.reason === reason
    )
      return undefined;
    this.#row = { status, owner, dueAt, version, reason };
    const row = this.#maskedReason(runRow(run, dueAt));
    return row.status === 'running' && !mayDrive() ? { ...row, reason: 'handlerMissing' } : row;
  }

  #maskedReason(row: RunRow): RunRow {
    return row.reason === null ? row : { ...row, reason: this.secrets.maskedText(row.reason) };
  }

  /** A snapshot that cannot be written is no loss: the log is folded instead. */
  async saveSnapshot(run: Run): Promise<void> {
    try {
      const { bytes } = await writeSnapshot(this.#deps.store, run, this.#hash);
      this.#tail = { commits: 0, bytes: 0 };
      this.#lastSnapshotBytes = bytes;
    } catch (error) {
      tellError(this.#deps, error, { runId: run.id });
    }
  }
}

function needsSync(event: RunEvent): boolean {
  return SYNCED.has(event.type) || (event.type === 'op.intended' && event.data.class === 'once');
}

function isRemembered({ type }: RunEvent): boolean {
  return type === 'memory.written';
}

function touchedRequests(events: readonly RunEvent[]): ReadonlySet<string> | undefined {
  let ids: Set<string> | undefined;
  for (const event of events)
    if (event.type.startsWith('request.') && event.type !== 'request.refused' && event.type !== 'request.recalled') {
      ids ??= new Set();
      ids.add((event.data as { request: string }).request);
    }
  return ids;
}
