import {
  type Commit,
  commitTime,
  nextTick,
  type Principal,
  type Program,
  type Run,
  type RunEvent,
} from '@signalbox/kernel';
import type { Append, CommitBatch, RunRow } from '@signalbox/ports';
import { countersOf } from '../agent/shared-accounts.ts';
import { toAppend } from '../log/commit-codec.ts';
import { externalize, type Payload } from '../log/payloads.ts';
import { requestRows, runReason, runRow } from '../log/rows.ts';
import type { LoadedRun } from '../log/run-log.ts';
import { snapshotDue, writeSnapshot } from '../log/snapshots.ts';
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
  #row = '';

  constructor(deps: DriverDeps, loaded: LoadedRun | undefined) {
    this.#deps = deps;
    this.#hash = loaded?.hash;
    this.#tail = { commits: loaded?.tailCommits ?? 0, bytes: loaded?.tailBytes ?? 0 };
    this.#lastSnapshotBytes = loaded?.snapshotBytes ?? 0;
  }

  /**
   * The store is called before this returns, so that commits are written in the order of the calls.
   * @throws StoreConflict when somebody else has written to the run.
   */
  async write(run: Run, program: Program, parts: CommitParts): Promise<void> {
    const { store, sessions } = this.#deps;
    const commit = this.#commitOf(run, parts);
    const { append, payloads } = this.#append(commit);
    if (store.features.chained) {
      const { hash, text } = append.seal();
      this.#hash = hash;
      this.#tail = { commits: this.#tail.commits + 1, bytes: this.#tail.bytes + text.length };
    }
    const { startKey, documents, erasures } = parts;
    const row = this.#changedRow(run, program, parts.mayDrive);
    const touched = touchedRequests(parts.events);
    const counters = countersOf(run.tenant, parts.events);
    const batch: CommitBatch = {
      appends: [append],
      ...(row === undefined ? {} : { runs: [row] }),
      ...(touched.size === 0 ? {} : { requests: requestRows(program, run, touched) }),
      ...(parts.commands.length === 0
        ? {}
        : { commands: parts.commands.map(command => ({ stream: run.id, ...command })) }),
      ...(counters.length === 0 ? {} : { counters }),
      ...(startKey === undefined ? {} : { startKey }),
      ...(documents === undefined ? {} : { documents }),
      ...(erasures === undefined ? {} : { erasures }),
      ...(payloads.length === 0 ? {} : { payloads: payloads.map(payload => ({ tenant: run.tenant, ...payload })) }),
    };
    const { isFollowed: followed, written } = parts;
    const options = { sync: parts.events.some(needsSync), followed, written };
    const isAlone = run.session === undefined && (run.user === undefined || !parts.events.some(isRemembered));
    await (isAlone ? store.commit(batch, options) : sessions.commit(run, parts, batch, options));
  }

  /** Now, or after `more` commits that weigh nothing. */
  isSnapshotDue(more = 0): boolean {
    const { commits, bytes } = this.#tail;
    return snapshotDue({ commits: commits + more, bytes }, this.#lastSnapshotBytes);
  }

  /** Where the stream stands after the last commit that was written. */
  get place(): Pick<LoadedRun, 'hash' | 'snapshotSeq' | 'snapshotBytes' | 'tailCommits' | 'tailBytes'> {
    return {
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

  #commitOf(run: Run, { actor, firstSeq, events, commands }: CommitParts): Commit {
    return {
      stream: run.id,
      firstSeq,
      at: commitTime(run.at),
      actor,
      ...(commands.length === 0 ? {} : { commands: commands.map(command => command.id) }),
      cause: run.requestId,
      ...(this.#hash === undefined || !this.#deps.store.features.chained ? {} : { prev: this.#hash }),
      events: events as Commit['events'],
    };
  }

  #changedRow(run: Run, program: Program, mayDrive: () => boolean): RunRow | undefined {
    const dueAt = dueTime(run, program);
    const key = `${run.status}|${run.owner ?? ''}|${dueAt ?? ''}|${run.version}|${runReason(run) ?? ''}`;
    if (key === this.#row) return undefined;
    this.#row = key;
    const row = runRow(run, dueAt);
    return row.status === 'running' && !mayDrive() ? { ...row, reason: 'handlerMissing' } : row;
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

/** A run at work is due since it began to work, and one that waits for its turn since it does: whoever sweeps finds it. */
function dueTime(run: Run, program: Program): number | null {
  if (run.place === 'queued') return run.queuedAt ?? run.at;
  if (run.status === 'running' || run.status === 'cancelling' || run.status === 'compensating')
    return run.executingSince ?? run.at;
  return nextTick(program, run) ?? null;
}

function needsSync(event: RunEvent): boolean {
  return SYNCED.has(event.type) || (event.type === 'op.intended' && event.data.class === 'once');
}

function isRemembered({ type }: RunEvent): boolean {
  return type === 'memory.written';
}

function touchedRequests(events: readonly RunEvent[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const event of events)
    if (event.type.startsWith('request.') && event.type !== 'request.refused' && event.type !== 'request.recalled')
      ids.add((event.data as { request: string }).request);
  return ids;
}
