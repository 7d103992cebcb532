import {
  type Commit,
  cellValue,
  commitTime,
  foldCommits,
  initialState,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  ListCell,
  type Run,
} from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { readCommits, replay, seqAt, stateOf, trail } from '@signalbox/runtime';

/** A run as it was at one moment. */
export interface ReplayedRun {
  readonly runId: string;
  readonly seq: number;
  readonly at: string;
  readonly status: Run['status'];
  readonly trail: string;
  /** Events folded. */
  readonly events: number;
  /** Folding from the first event and from the newest snapshot come to the same run. */
  readonly same: boolean;
  /** Where its tokens stood. */
  readonly places: readonly { readonly token: string; readonly node: string; readonly status: string }[];
  readonly requests: readonly { readonly id: string; readonly title: string; readonly node: string }[];
  readonly state: JsonObject;
  readonly scopes?: Readonly<Record<string, JsonObject>>;
}

/** @throws SignalboxError `UnknownPoint`, `InvalidInstant`, `LogUnreadable` */
export async function replayRun(store: EventStore, runId: string, until?: string): Promise<ReplayedRun> {
  const seq = until === undefined ? ((await store.head(runId))?.seq ?? 0) : await seqAt(store, runId, until);
  const commits: Commit[] = [];
  for await (const commit of readCommits(store, runId)) {
    if (commit.firstSeq > seq) break;
    commits.push({ ...commit, events: commit.events.slice(0, seq - commit.firstSeq + 1) });
  }
  const run = foldCommits(initialState(), commits);
  const fromSnapshot = await replay(store, runId, seq);
  const { state, scopes } = stateOf(run);
  return {
    runId,
    seq,
    at: commitTime(run.at),
    status: run.status,
    trail: await trail(commits),
    events: run.seq,
    same: jsonEqual(plain(run), plain(fromSnapshot)),
    places: [...run.tokens.values()].flatMap(({ id, at }) =>
      'node' in at ? [{ token: id, node: at.node, status: 'status' in at ? String(at.status) : at.kind }] : [],
    ),
    requests: [...run.requests.values()].map(({ id, title, node }) => ({ id, title, node })),
    state,
    ...(scopes === undefined ? {} : { scopes }),
  };
}

/** A run as JSON, so that two of them compare whatever they share inside. */
function plain(value: unknown): JsonValue {
  if (typeof value !== 'object' || value === null) return value as JsonValue;
  if (value instanceof ListCell) return cellValue(value);
  if (Array.isArray(value)) return value.map(plain);
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(entries.filter(([, part]) => part !== undefined).map(([key, part]) => [key, plain(part)]));
}
