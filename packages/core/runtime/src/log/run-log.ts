import {
  applyEvent,
  type Commit,
  commitMillis,
  Draft,
  initialState,
  type Run,
  type StoredEvent,
} from '@signalbox/kernel';
import type { EventStore, StoredCommit } from '@signalbox/ports';
import type { Opening } from '../sensitive/opening.ts';
import { openCommit, unreadable } from './commit-codec.ts';
import { internalize } from './payloads.ts';
import { readSnapshot } from './snapshots.ts';

export interface LoadedRun {
  readonly run: Run;
  /** Hash of the last commit folded; undefined at the start and in a store without a chain. */
  readonly hash: string | undefined;
  /** Sequence number of the snapshot it was folded from; 0 without one. */
  readonly snapshotSeq: number;
  /** UTF-16 units of that snapshot's own text; 0 without one. */
  readonly snapshotBytes: number;
  /** Bytes of log text folded since that snapshot. */
  readonly tailBytes: number;
  /** Commits folded since that snapshot. */
  readonly tailCommits: number;
  /** Of a reading that sees what is sensitive. */
  readonly opening?: Pick<Opening, 'secrets' | 'key'>;
}

/**
 * Folds a run from its newest snapshot and the commits after it.
 *
 * @param until fold no further than this sequence number; a commit may be cut there.
 * @param opening with it what is sensitive is seen; without it there are masks.
 * @returns undefined when the store has no such run.
 * @throws SignalboxError `LogUnreadable` when a commit or payload is damaged or missing.
 */
export async function loadRun(
  store: EventStore,
  runId: string,
  until = Number.POSITIVE_INFINITY,
  opening?: Opening,
): Promise<LoadedRun | undefined> {
  const snapshot = await snapshotOf(store, runId, until);
  const draft = new Draft(snapshot?.run ?? initialState());
  // It was made as the commit was written.
  draft.endCommit();
  let hash = snapshot?.hash;
  let tailBytes = 0;
  let tailCommits = 0;
  let erased = false;
  const toSeq = Number.isFinite(until) ? until : undefined;
  for await (const page of pagesFrom(store, runId, draft.run.seq + 1, toSeq))
    for (const stored of page) {
      const read = readOne(store, draft.run.tenant, stored, opening);
      const { commit, hash: own, bytes } = read instanceof Promise ? await read : read;
      if (hash !== undefined && commit.prev !== hash)
        throw unreadable(runId, commit.firstSeq, 'it does not follow the commit before it');
      fold(draft, commit, until);
      erased ||= commit.events.some(event => event.type === 'payload.erased');
      hash = own;
      tailBytes += bytes;
      tailCommits += 1;
    }
  if (draft.run.seq === 0) return undefined;
  if (erased && snapshot !== undefined) {
    // It was made before the erasure and may still hold the value.
    await store.dropSnapshots(runId);
    return await loadRun(store, runId, until, opening);
  }
  return {
    run: draft.run,
    hash,
    snapshotSeq: snapshot?.run.seq ?? 0,
    snapshotBytes: snapshot?.bytes ?? 0,
    tailBytes,
    tailCommits,
    ...(opening === undefined ? {} : { opening }),
  };
}

/**
 * The newest snapshot, tied to the commit after which it was made: one that is of another history, or of more than the
 * log holds, means that one of the two was changed behind our back, and neither is believed.
 */
async function snapshotOf(
  store: EventStore,
  runId: string,
  until: number,
): Promise<Awaited<ReturnType<typeof readSnapshot>>> {
  const snapshot = await readSnapshot(store, runId, until);
  if (snapshot === undefined) return undefined;
  const { id, seq } = snapshot.run;
  if (id !== runId) throw unreadable(runId, seq, `its snapshot is of ${JSON.stringify(id)}`);
  const [commit] = await store.read(runId, { fromSeq: seq, toSeq: seq, limit: 1 });
  if (commit === undefined) throw unreadable(runId, seq, 'the log ends before its snapshot');
  if (commit.lastSeq !== seq || (commit.sealed?.hash ?? snapshot.hash) !== snapshot.hash)
    throw unreadable(runId, seq, 'its snapshot is of another history');
  return snapshot;
}

/** Folds the part of a commit that the draft has not seen. */
export function fold(draft: Draft, commit: Commit, until = Number.POSITIVE_INFINITY): void {
  draft.run.at = Math.max(commitMillis(commit.at), draft.run.at);
  for (const [index, event] of commit.events.entries()) {
    const seq = commit.firstSeq + index;
    if (seq > until) return;
    if (seq <= draft.run.seq) continue;
    if (seq !== draft.run.seq + 1) throw unreadable(commit.stream, seq, 'a commit before it is missing');
    applyOne(draft, event, commit.stream, seq);
  }
  draft.endCommit();
}

function applyOne(draft: Draft, event: StoredEvent, stream: string, seq: number): void {
  try {
    applyEvent(draft, event);
  } catch (error) {
    throw unreadable(stream, seq, error instanceof Error ? error.message : String(error));
  }
}

export interface ReadCommit {
  readonly commit: Commit;
  /** As it is stored: large values stand as references. */
  readonly lean: Commit;
  readonly hash: string | undefined;
  readonly bytes: number;
}

const PAGE = 500;

/** A run's commits from the one that holds `fromSeq`, read in pages, checked and with their payloads; see `loadRun`. */
export async function* commitsFrom(
  store: EventStore,
  runId: string,
  fromSeq = 1,
  opening?: Opening,
): AsyncGenerator<ReadCommit> {
  let owner = fromSeq === 1 ? '' : ((await store.run(runId))?.tenant ?? '');
  for await (const page of pagesFrom(store, runId, fromSeq))
    for (const stored of page) {
      const read = readOne(store, owner, stored, opening);
      const committed = read instanceof Promise ? await read : read;
      if (owner === '') owner = tenantOf(committed.lean);
      yield committed;
    }
}

/** What is stored, page by page; nothing that begins beyond `toSeq` is asked for. */
async function* pagesFrom(
  store: EventStore,
  runId: string,
  fromSeq: number,
  toSeq = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<readonly StoredCommit[]> {
  let next = fromSeq;
  while (next <= toSeq) {
    const page = await store.read(runId, { fromSeq: next, toSeq, limit: PAGE });
    yield page;
    if (page.length < PAGE) return;
    next = page.at(-1)!.lastSeq + 1;
  }
}

/** At once where there are no payloads to fetch: a fold takes no turn of its own for each commit. */
function readOne(
  store: EventStore,
  tenant: string,
  stored: StoredCommit,
  opening?: Opening,
): ReadCommit | Promise<ReadCommit> {
  const lean = openCommit(stored);
  const { sealed } = stored;
  const read = { commit: lean, lean, hash: sealed?.hash, bytes: sealed?.text.length ?? 0 };
  if (lean.refs === undefined) return read;
  const owner = tenant === '' ? tenantOf(lean) : tenant;
  return internalize(store, owner, lean, opening).then(commit => ({ ...read, commit }));
}

function tenantOf(commit: Commit): string {
  const [first] = commit.events;
  return first?.type === 'run.started' ? String(first.data.tenant) : '';
}
