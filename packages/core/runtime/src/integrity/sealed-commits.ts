import { type Commit, isJsonObject } from '@signalbox/kernel';
import type { EventStore, StoredCommit } from '@signalbox/ports';
import { sealText, unreadable } from '../log/commit-codec.ts';

const PAGE = 500;

export interface SealedCommit {
  readonly stored: StoredCommit;
  readonly commit: Commit;
  readonly text: string;
  readonly hash: string;
}

/** Commits with the text that is hashed; where the store keeps none, as it would be with a chain. */
export async function* sealedCommits(
  store: EventStore,
  runId: string,
  toSeq = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<SealedCommit> {
  let prev: string | undefined;
  for (let next = 1; next <= toSeq; ) {
    const page = await store.read(runId, { fromSeq: next, toSeq, limit: PAGE });
    for (const stored of page) {
      const { text, hash } = stored.sealed ?? sealText(JSON.stringify(chained(stored.commit, prev)));
      yield { stored, commit: stored.commit ?? parsed(stored, text), text, hash };
      prev = hash;
      next = stored.lastSeq + 1;
    }
    if (page.length < PAGE) return;
  }
}

/** One that was imported holds its hash already, and keeps its text. */
function chained(commit: Commit | undefined, prev: string | undefined): object {
  if (commit !== undefined && commit.prev === prev) return commit;
  const { events, prev: _none, ...head } = commit ?? { events: [] };
  return { ...head, ...(prev === undefined ? {} : { prev }), events };
}

/** The text is checked by the walk; here only what it refers to is looked for. */
function parsed({ stream, firstSeq }: StoredCommit, text: string): Commit {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value) && Array.isArray(value.events)) return value as unknown as Commit;
  } catch (error) {
    throw unreadable(stream, firstSeq, error instanceof Error ? error.message : String(error));
  }
  throw unreadable(stream, firstSeq, 'it is no commit');
}
