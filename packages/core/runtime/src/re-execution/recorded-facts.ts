import {
  type Commit,
  commitMillis,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type NodeRef,
  nodeKey,
  type Run,
  type RunEvents,
  type StoredEvent,
} from '@signalbox/kernel';
import type { GoodOutput } from '../drive/last-good.ts';
import { isErased } from '../log/payloads.ts';
import type { Outcomes } from './replayed-task.ts';
import { type Candidate, given } from './replayed-tasks.ts';

/**
 * Facts that are a matter of time alone: a node took too long, or what it reported could not be decided; an operation
 * ended although its handler did not wait for it, or was broken off.
 */
export function timedFact(
  { type, data }: StoredEvent,
  ref: NodeRef | undefined,
  { term }: Run,
  mayStillEnd: (op: string) => boolean,
): Candidate[] {
  if (ref === undefined) return [];
  const { op = '', error: own, ...record } = data as Partial<RunEvents['op.recorded']>;
  const { output, degraded } = data as Partial<RunEvents['node.succeeded']>;
  const isLastGood = degraded?.by === 'lastGood' && output !== undefined;
  // How old it was then is no part of the log.
  const lastGood = isLastGood ? { lastGood: { output, at: Number.MAX_SAFE_INTEGER } } : {};
  const error = isLastGood ? degraded.error : own;
  if (type !== 'op.recorded' && (error?.code === 'Timeout' || error?.code === 'Internal'))
    return [given({ type: 'report', term, ...ref, ops: [], end: { type: 'failed', error, ...lastGood } })];
  if (type !== 'op.recorded' || !mayStillEnd(op)) return [];
  const { kind = 'run', digest = '', value } = record;
  const fact = error === undefined ? { value: value ?? null } : { error };
  return [given({ type: 'report', term, ...ref, ops: [{ type: 'record', op, kind, digest, ...fact }] })];
}

/** How the operations of a visit ended, as far as one commit tells. */
export function outcomesAt(ref: NodeRef, recorded: readonly StoredEvent[]): Outcomes {
  const visit = nodeKey(ref);
  return recorded.flatMap(({ type, data }) => {
    if (type !== 'op.recorded' || nodeKey(data as unknown as NodeRef) !== visit) return [];
    const { op, value, error, again } = data as unknown as RunEvents['op.recorded'];
    return again === true ? [] : [[op, { value, ...(error === undefined ? {} : { error }) }] as const];
  });
}

/** What another run gave for a node that failed. */
export function recordedLastGood(history: readonly Commit[], ref: NodeRef): GoodOutput | undefined {
  const visit = nodeKey(ref);
  for (const { at, events } of history)
    for (const { type, data } of events) {
      if (type !== 'node.succeeded' || nodeKey(data as unknown as NodeRef) !== visit) continue;
      const { output, degraded } = data as unknown as RunEvents['node.succeeded'];
      if (degraded?.by === 'lastGood') return { output, at: commitMillis(at) };
    }
  return undefined;
}

/** Operations that the log has an end of, by the visit that did them. */
export function endsByVisit(history: readonly Commit[]): ReadonlyMap<string, readonly string[]> {
  const ends = new Map<string, string[]>();
  for (const { events } of history)
    for (const { type, data } of events) {
      if (type !== 'op.recorded') continue;
      const visit = nodeKey(data as unknown as NodeRef);
      const ops = ends.get(visit) ?? [];
      ops.push(String(data.op));
      ends.set(visit, ops);
    }
  return ends;
}

/** Erased values stand alone, or as the value of a change. */
export function holdsErased(data: JsonObject): boolean {
  const changes = Array.isArray(data.changes) ? (data.changes as readonly JsonValue[]) : [];
  const values = changes.flatMap(change => (isJsonObject(change) ? [change.value, ...listOf(change.value)] : []));
  return [...Object.values(data), ...values].some(isErased);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) && value.length === 1 ? value : [];
}
