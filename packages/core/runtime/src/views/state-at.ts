import { commitTime, type JsonObject, type Run, SignalboxError, stateObject } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { loadRun } from '../log/run-log.ts';
import { type Point, seqAt } from './instants.ts';

/** A run's state at one moment. */
export interface StateAt {
  readonly runId: string;
  readonly seq: number;
  readonly at: string;
  readonly status: Run['status'];
  readonly state: JsonObject;
  /** State of branches, items and subgraphs that are open then, by token path. Absent where there are none. */
  readonly scopes?: Readonly<Record<string, JsonObject>>;
}

/**
 * The state of a run now (no point), at an event or at a time, loaded from the nearest snapshot.
 *
 * @throws SignalboxError `UnknownRun`, `UnknownPoint`, `InvalidInstant`, `LogUnreadable`
 */
export async function stateAt(store: EventStore, runId: string, point?: Point): Promise<StateAt> {
  return stateOf(await replay(store, runId, point));
}

/**
 * The run as it was at an event or a time, folded from its log: what `replay --until` shows.
 *
 * @throws SignalboxError `UnknownRun`, `UnknownPoint`, `InvalidInstant`, `LogUnreadable`
 */
export async function replay(store: EventStore, runId: string, until?: Point): Promise<Run> {
  const loaded = await loadRun(store, runId, until === undefined ? undefined : await seqAt(store, runId, until));
  if (loaded === undefined)
    throw new SignalboxError('UnknownRun', `There is no run ${runId}.`, { details: { run: runId } });
  return loaded.run;
}

/** The state in a folded run. */
export function stateOf(run: Run): StateAt {
  const scopes: Record<string, JsonObject> = {};
  for (const token of run.tokens.values()) if (token.id !== '') scopes[token.id] = stateObject(token.state);
  const root = run.tokens.get('');
  return {
    runId: run.id,
    seq: run.seq,
    at: commitTime(run.at),
    status: run.status,
    state: root === undefined ? {} : stateObject(root.state),
    ...(Object.keys(scopes).length === 0 ? {} : { scopes }),
  };
}
