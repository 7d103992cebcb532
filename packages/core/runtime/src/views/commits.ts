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
import { unreadable } from '../log/commit-codec.ts';
import { commitsFrom } from '../log/run-log.ts';
import type { Opening } from '../sensitive/opening.ts';

/** The commits of one stream from its first, in order. Views read them once and keep none. */
export type Commits = Iterable<Commit> | AsyncIterable<Commit>;

/**
 * A run's commits from the store, a page at a time, checked and with their payloads; what is sensitive is masked, unless
 * there is an `opening`.
 *
 * @throws SignalboxError `LogUnreadable` where a commit or payload is damaged or missing.
 */
export async function* readCommits(store: EventStore, runId: string, opening?: Opening): AsyncGenerator<Commit> {
  for await (const { commit } of commitsFrom(store, runId, 1, opening)) yield commit;
}

/** One event with what its commit says of it. */
export interface CommittedEvent {
  readonly seq: number;
  readonly commit: Commit;
  readonly event: StoredEvent;
}

export async function* eventsOf(commits: Commits): AsyncGenerator<CommittedEvent> {
  for await (const commit of commits)
    for (const [index, event] of commit.events.entries()) yield { seq: commit.firstSeq + index, commit, event };
}

/**
 * Every event with what `look` saw in the run before and after it. `look` must not keep the run or its maps, which are
 * changed in place; states, values and texts in it may be kept.
 *
 * @throws SignalboxError `LogUnreadable` where an event does not fit the run.
 */
export async function* foldedEvents<Seen>(
  commits: Commits,
  look: (run: Run) => Seen,
): AsyncGenerator<CommittedEvent & { readonly before: Seen; readonly after: Seen }> {
  const draft = new Draft(initialState());
  let before = look(draft.run);
  for await (const committed of eventsOf(commits)) {
    applyCommitted(draft, committed);
    const after = look(draft.run);
    yield { ...committed, before, after };
    before = after;
  }
}

/** Applies one event as the fold of whole commits does. */
export function applyCommitted(draft: Draft, { seq, commit, event }: CommittedEvent): void {
  if (seq !== draft.run.seq + 1) throw unreadable(commit.stream, draft.run.seq + 1, 'a commit is missing there');
  draft.run.at = Math.max(commitMillis(commit.at), draft.run.at);
  try {
    applyEvent(draft, event);
  } catch (error) {
    throw unreadable(commit.stream, seq, error instanceof Error ? error.message : String(error));
  }
}
