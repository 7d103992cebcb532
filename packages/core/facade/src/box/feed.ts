import { isSignalboxError, type Principal } from '@signalbox/kernel';
import { type EventStore, storeErrors } from '@signalbox/ports';
import { openCommit, withPayloads } from '@signalbox/runtime';
import type { RunEventRow } from './run-handle.ts';

export interface FeedEvent extends RunEventRow {
  readonly stream: string;
  /**
   * True of a row that stands for a commit which cannot be read: `type` is `log.unreadable`, `seq` the commit's first,
   * `at` empty, `data` `{ code, message, lastSeq }`. The feed goes on behind it.
   */
  readonly unreadable?: true;
}

export interface FeedEntry {
  readonly event: FeedEvent;
  /** Hand it back as `after`: the feed goes on with the very next event, also within a commit. */
  readonly cursor: string;
}

type StoredCommit = Awaited<ReturnType<EventStore['feed']>>['commits'][number];

const PAGE = 200;
const LOG: Principal = { kind: 'system', id: 'log' };
/** The store's cursor before a commit, and how many of its events were given out. */
const WITHIN = /^(.*)~(\d{1,9})$/s;

/**
 * Events of all streams in commit order; ends when there is no more for now.
 *
 * @throws `InvalidCursor` for a cursor that was not given out.
 */
export async function* feedOf(store: EventStore, after: string | undefined): AsyncGenerator<FeedEntry> {
  const [, start, given] = (after === undefined ? null : WITHIN.exec(after)) ?? [];
  let before = start === undefined ? after : start === '' ? undefined : start;
  let skip = Number(given ?? 0);
  for (;;) {
    const page = await store.feed({ ...(before === undefined ? {} : { after: before }), limit: PAGE });
    if (page.commits.length === 0) {
      if (skip > 0) throw storeErrors.invalidCursor(after ?? '');
      return;
    }
    for (const [index, stored] of page.commits.entries()) {
      const rows = await rowsOf(store, stored);
      if (rows[0]?.unreadable === true) skip = 0;
      else if (skip > 0 && skip >= rows.length) throw storeErrors.invalidCursor(after ?? '');
      const behind = page.cursors[index]!;
      for (const [at, event] of rows.entries())
        if (at >= skip) yield { event, cursor: at + 1 === rows.length ? behind : `${before ?? ''}~${at + 1}` };
      skip = 0;
      before = behind;
    }
  }
}

async function rowsOf(store: EventStore, stored: StoredCommit): Promise<FeedEvent[]> {
  try {
    const { stream, firstSeq, at, actor, events } = await withPayloads(store, openCommit(stored));
    return events.map(({ type, data }, index) => {
      const seq = firstSeq + index;
      return { id: `${stream}.${seq}`, stream, seq, at, actor, type, data };
    });
  } catch (error) {
    if (!isSignalboxError(error) || error.code !== 'LogUnreadable') throw error;
    return [unreadableRow(stored, error)];
  }
}

function unreadableRow({ stream, firstSeq: seq, lastSeq }: StoredCommit, error: Error & { code: string }): FeedEvent {
  const data = { code: error.code, message: error.message, lastSeq };
  return { id: `${stream}.${seq}`, stream, seq, at: '', actor: LOG, type: 'log.unreadable', data, unreadable: true };
}
