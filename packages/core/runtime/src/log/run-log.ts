import {
  applyEvent,
  type Commit,
  commitMillis,
  Draft,
  initialState,
  type Run,
  type StoredEvent,
} from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { openCommit, unreadable } from './commit-codec.ts';
import { internalize } from './payloads.ts';
import { readSnapshot } from './snapshots.ts';

export interface LoadedRun {
  readonly run: Run;
  /** Hash of the last commit folded; undefined at the start and in a store without a chain. */
  readonly hash: string | undefined;
  /** Sequence number of the snapshot it was folded from; 0 without one. */
  readonly snapshotSeq: number;
  /** Bytes of log text folded since that snapshot. */
  readonly tailBytes: number;
  /** Commits folded since that snapshot. */
  readonly tailCommits: number;
}

/**
 * Folds a run from its newest snapshot and the commits after it.
 *
 * @param until fold no further than this sequence number; a commit may be cut there.
 * @returns undefined when the store has no such run.
 * @throws SignalboxError `LogUnreadable` when a commit or payload is damaged or missing.
 */
export async function loadRun(
  store: EventStore,
  runId: string,
  until = Number.POSITIVE_INFINITY,
): Promise<LoadedRun | undefined> {
  const snapshot = await readSnapshot(store, runId, until);
  const draft = new Draft(snapshot?.run ?? initialState());
  let hash = snapshot?.hash;
  let tailBytes = 0;
  let tailCommits = 0;
  let erased = false;
  for await (const { commit, hash: own, bytes } of commitsFrom(store, runId, draft.run.seq + 1, draft.run.tenant)) {
    if (hash !== undefined && commit.prev !== hash)
      throw unreadable(runId, commit.firstSeq, 'it does not follow the commit before it');
    fold(draft, commit, until);
    erased ||= commit.events.some(event => event.type === 'payload.erased');
    hash = own;
    tailBytes += bytes;
    tailCommits += 1;
    if (draft.run.seq >= until) break;
  }
  if (draft.run.seq === 0) return undefined;
  if (erased && snapshot !== undefined) {
    // It was made before the erasure and may still hold the value.
    await store.dropSnapshots(runId);
    return await loadRun(store, runId, until);
  }
  return { run: draft.run, hash, snapshotSeq: snapshot?.run.seq ?? 0, tailBytes, tailCommits };
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

/** A run's commits from the one that holds `fromSeq`, read in pages, checked and with their payloads. */
export async function* commitsFrom(
  store: EventStore,
  runId: string,
  fromSeq = 1,
  tenant = '',
): AsyncGenerator<ReadCommit> {
  let next = fromSeq;
  let owner = tenant;
  for (;;) {
    const page = await store.read(runId, { fromSeq: next, limit: PAGE });
    for (const stored of page) {
      const opened = openCommit(stored);
      if (owner === '') owner = tenantOf(opened);
      const commit = await internalize(store, owner, opened);
      yield { commit, lean: opened, hash: stored.sealed?.hash, bytes: stored.sealed?.text.length ?? 0 };
      next = stored.lastSeq + 1;
    }
    if (page.length < PAGE) return;
  }
}

function tenantOf(commit: Commit): string {
  const [first] = commit.events;
  return first?.type === 'run.started' ? String(first.data.tenant) : '';
}
