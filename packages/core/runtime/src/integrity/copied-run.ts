import {
  type Commit,
  isJsonObject,
  type JsonValue,
  type RequestState,
  type Run,
  type StoredEvent,
  shortId,
} from '@signalbox/kernel';

/** What a run is called under another id: itself, and its requests, whose ids are unique in a store. */
export interface CopyNames {
  readonly runId: string;
  readonly requests: ReadonlyMap<string, string>;
}

export function copyNames(run: Run, runId: string): CopyNames {
  const ids = [...run.requests.keys(), ...run.closedRequests.keys()];
  return { runId, requests: new Map(ids.map(id => [id, shortId('req_', `${runId}/${id}`)])) };
}

/** A commit under another id, chained to the copy before it. Times, actors and the order of events stay. */
export function copyCommit(commit: Commit, names: CopyNames, prev: string | undefined): Commit {
  const { prev: _old, events, ...head } = commit;
  return {
    ...head,
    stream: names.runId,
    ...(prev === undefined ? {} : { prev }),
    events: events.map(event => copyEvent(event, names)),
  };
}

function copyEvent(event: StoredEvent, names: CopyNames): StoredEvent {
  const data = renamed(event.data, names.requests) as StoredEvent['data'];
  const own = (event.type === 'run.started' || event.type === 'run.forked') && event.data.runId !== undefined;
  return { ...event, data: own ? { ...data, runId: names.runId } : data };
}

/** The id of a request's timer is `request/<id>`; elsewhere an id stands alone. */
const TIMER = 'request/';

export function renamed(value: JsonValue, requests: CopyNames['requests']): JsonValue {
  if (typeof value === 'string') {
    const timer = value.startsWith(TIMER) ? requests.get(value.slice(TIMER.length)) : undefined;
    return timer === undefined ? (requests.get(value) ?? value) : `${TIMER}${timer}`;
  }
  if (Array.isArray(value)) return value.map(item => renamed(item, requests));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, renamed(member, requests)]));
}

/** The run as its rows see it under the other id. */
export function copiedRun(run: Run, { runId, requests }: CopyNames): Run {
  const rename = (states: ReadonlyMap<string, RequestState>) =>
    new Map(
      [...states].map(([id, state]) => {
        const name = requests.get(id) ?? id;
        return [name, { ...state, id: name }] as const;
      }),
    );
  return { ...run, id: runId, requests: rename(run.requests), closedRequests: rename(run.closedRequests) };
}
