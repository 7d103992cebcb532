import type { Change, StoredEvent } from '@signalbox/kernel';
import { type Commits, type CommittedEvent, eventsOf } from './commits.ts';
import { changeText, eventText, placeOf } from './event-text.ts';
import { oneLine, principalText } from './text.ts';

/** Who did what, when. A `state.changed` gives one row for each key, whose `actor` is who wrote it. */
export interface TimelineRow {
  readonly seq: number;
  readonly at: string;
  /** `user:finn`; of a change of state `node:triage` or what else its source names. */
  readonly actor: string;
  /** The event's type. */
  readonly what: string;
  readonly node: string | null;
  /** The token's path; null where the event is not about one, '' is the root. */
  readonly token: string | null;
  /** One line; values cut to 80 code points. */
  readonly text: string;
}

/** In the order in which it happened. */
export async function* timeline(commits: Commits): AsyncGenerator<TimelineRow> {
  for await (const committed of eventsOf(commits)) {
    if (committed.event.type === 'state.changed') yield* changeRows(committed);
    else yield row(committed, principalText(committed.commit.actor), eventText(committed.event));
  }
}

function* changeRows(committed: CommittedEvent): Generator<TimelineRow> {
  for (const change of changesOf(committed.event)) {
    const { source } = change;
    const written = row(committed, writerText(source), `${changeText(change)} (by ${oneLine(source)})`);
    yield { ...written, node: source.includes(':') ? null : source };
  }
}

export function changesOf(event: StoredEvent): readonly Change[] {
  return event.type === 'state.changed' ? (event.data.changes as unknown as readonly Change[]) : [];
}

/** A source without a kind is the name of a node. */
function writerText(source: string): string {
  return oneLine(source.includes(':') ? source : `node:${source}`);
}

function row({ seq, commit, event }: CommittedEvent, actor: string, text: string): TimelineRow {
  const { node, token } = placeOf(event);
  return { seq, at: commit.at, actor, what: event.type, node: node ?? null, token: token ?? null, text };
}
