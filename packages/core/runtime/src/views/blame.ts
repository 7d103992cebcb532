import { type Change, Draft, initialState, type JsonObject, type JsonValue, type Principal } from '@signalbox/kernel';
import { applyCommitted, type Commits, type CommittedEvent, eventsOf } from './commits.ts';
import { parseStatePath, placeIn, type StatePlace, samePlace } from './state-path.ts';
import { changesOf } from './timeline.ts';

/** One change of what stands at a path of the state. */
export interface BlameRow {
  readonly seq: number;
  readonly at: string;
  readonly actor: Principal;
  /** The event's type: `state.changed`, `run.started`, `episode.started`, `run.rolledBack`. */
  readonly what: string;
  /** Node or component that wrote it; of a start, a restart or a rollback the event's type. */
  readonly source: string;
  /** Of a `state.changed` the operation; otherwise the whole state was put in place. */
  readonly op: Change['op'] | 'stand';
  /** Absent where nothing stood or stands there: absent is not null. Large lists are made when they are read. */
  readonly old?: JsonValue;
  readonly new?: JsonValue;
}

/**
 * Every change of one place in the state, newest last.
 *
 * @param path `amount`, `order.lines.0`, `trail/0` or `/trail/0`.
 * @param token whose state: '' (default) is the run's own, a path such as `fork#1.0` that of a branch, item or subgraph.
 * @throws SignalboxError `InvalidPath`, `LogUnreadable`
 */
export async function* blame(commits: Commits, path: string, token = ''): AsyncGenerator<BlameRow> {
  const place = parseStatePath(path);
  const draft = new Draft(initialState());
  const look = () => placeIn(draft.run.tokens.get(token)?.state, place);
  let before = look();
  for await (const committed of eventsOf(commits)) {
    for (const change of partsOf(committed, token)) {
      if (change === undefined) applyCommitted(draft, committed);
      else applyChange(draft, committed, change);
      const after = look();
      if (!samePlace(before, after)) yield row(committed, change, before, after);
      before = after;
    }
  }
}

/** The changes of the token's state one by one; any other event as a whole. */
function partsOf({ event }: CommittedEvent, token: string): readonly (Change | undefined)[] {
  const changes = event.data.token === token ? changesOf(event) : [];
  return changes.length === 0 ? [undefined] : changes;
}

/** One change of an event that may hold several; together they count as the one event they are. */
function applyChange(draft: Draft, committed: CommittedEvent, change: Change): void {
  const data = { ...committed.event.data, changes: [change] } as unknown as JsonObject;
  draft.run.seq = committed.seq - 1;
  applyCommitted(draft, { ...committed, event: { ...committed.event, data } });
}

function row(
  { seq, commit, event }: CommittedEvent,
  change: Change | undefined,
  old: StatePlace,
  now: StatePlace,
): BlameRow {
  const made = {
    seq,
    at: commit.at,
    actor: commit.actor,
    what: event.type,
    source: change?.source ?? event.type,
    op: change?.op ?? ('stand' as const),
  };
  define(made, 'old', old);
  define(made, 'new', now);
  return made;
}

function define(row: object, name: 'old' | 'new', place: StatePlace): void {
  if (place.present) Object.defineProperty(row, name, { enumerable: true, get: () => place.value });
}
