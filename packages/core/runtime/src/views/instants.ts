import { type Commit, commitMillis, parseInstant, SignalboxError } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { openCommit } from '../log/commit-codec.ts';

/** A point in a run's history: a sequence number, or a time (RFC 3339; a local time is read in UTC). */
export type Point = number | string;

/**
 * The sequence number of the last event at a point. At a time: of the last commit that is not later. Times never go back
 * within a stream, so it is found by halving: the history is not read.
 *
 * @throws SignalboxError `UnknownRun`, `UnknownPoint` (before the start, or after the last event), `InvalidInstant`
 */
export async function seqAt(store: EventStore, runId: string, point: Point): Promise<number> {
  const head = await store.head(runId);
  if (head === undefined)
    throw new SignalboxError('UnknownRun', `There is no run ${runId}.`, { details: { run: runId } });
  if (typeof point === 'number' || /^\d+$/.test(point)) return checkedSeq(Number(point), head.seq, runId);
  const at = parseInstant(point, 'UTC');
  const first = await commitAt(store, runId, 1);
  if (first === undefined || commitMillis(first.at) > at) throw outOfRange(runId, point, `it began at ${first?.at}`);
  return lastUntil(store, runId, at, first, head.seq);
}

function checkedSeq(seq: number, last: number, runId: string): number {
  if (Number.isInteger(seq) && seq >= 1 && seq <= last) return seq;
  throw outOfRange(runId, seq, `its events are numbered 1 to ${last}`);
}

/** Invariant: `found` is not later than `at`, and everything from `high` + 1 is. */
async function lastUntil(store: EventStore, runId: string, at: number, first: Commit, last: number): Promise<number> {
  let found = lastSeqOf(first);
  let high = last;
  while (found < high) {
    const middle = found + Math.ceil((high - found) / 2);
    const commit = await commitAt(store, runId, middle);
    if (commit === undefined) return found;
    if (commitMillis(commit.at) <= at) found = lastSeqOf(commit);
    else high = commit.firstSeq - 1;
  }
  return found;
}

async function commitAt(store: EventStore, runId: string, seq: number): Promise<Commit | undefined> {
  const [stored] = await store.read(runId, { fromSeq: seq, limit: 1 });
  return stored === undefined ? undefined : openCommit(stored);
}

function lastSeqOf(commit: Commit): number {
  return commit.firstSeq + commit.events.length - 1;
}

function outOfRange(runId: string, point: Point, told: string): SignalboxError {
  return new SignalboxError('UnknownPoint', `Run ${runId} has nothing at ${point}: ${told}.`, {
    details: { run: runId, point },
  });
}
