import { type Append, type CommitBatch, type StoredCommit, type StreamHead, storeErrors } from '@signalbox/ports';
import { keyOf, type MemoryData } from './memory-data.ts';

const NONE: readonly never[] = [];

/** Lands all of a batch, or throws with nothing changed: first everything that can fail, then everything that changes. */
export function landBatch(data: MemoryData, batch: CommitBatch): void {
  checkSequence(data, batch.appends);
  checkKeys(data, batch);
  checkCounters(data, batch);
  const commits = batch.appends.map(append => toStored(data, append));
  for (const commit of commits) landCommit(data, commit);
  landKeys(data, batch);
  landRows(data, batch);
  landContent(data, batch);
}

function headOf(data: MemoryData, stream: string): StreamHead {
  const last = data.streams.get(stream)?.at(-1);
  return { seq: last?.lastSeq ?? 0, hash: last?.sealed?.hash };
}

function checkSequence(data: MemoryData, appends: readonly Append[]): void {
  /** Where earlier appends of the batch bring their streams. */
  const reached = appends.length > 1 ? new Map<string, StreamHead>() : undefined;
  for (const append of appends) {
    const { stream, expectedSeq, expectedHash, lastSeq } = append;
    const { seq: actualSeq, hash } = reached?.get(stream) ?? headOf(data, stream);
    if (lastSeq <= expectedSeq) throw storeErrors.emptyAppend(stream, expectedSeq, lastSeq);
    if (actualSeq !== expectedSeq) throw storeErrors.lostUpdate(stream, expectedSeq, actualSeq);
    if (data.chain && expectedHash !== undefined && expectedHash !== hash)
      throw storeErrors.otherHead(stream, expectedSeq);
    reached?.set(stream, { seq: lastSeq, hash: data.chain ? append.seal().hash : undefined });
  }
}

function checkKeys(data: MemoryData, { commands = NONE, startKey }: CommitBatch): void {
  const seen = commands.length > 1 ? new Set<string>() : undefined;
  for (const { stream, id } of commands) {
    const key = keyOf(stream, id);
    if (seen?.has(key) || data.commands.has(key)) throw storeErrors.commandTaken(stream, id);
    seen?.add(key);
  }
  if (startKey !== undefined && data.startKeys.has(keyOf(startKey.tenant, startKey.key))) {
    throw storeErrors.startKeyTaken(startKey.tenant, startKey.key);
  }
}

function checkCounters(data: MemoryData, { counters = NONE }: CommitBatch): void {
  /** Where earlier changes of the batch bring their counters. */
  const reached = new Map<string, number>();
  for (const change of counters) {
    const counter = keyOf(change.tenant, change.key);
    const value = reached.get(counter) ?? data.counters.get(counter) ?? 0;
    const { add, max } = change;
    if (max !== undefined && value + add > max) throw storeErrors.counterFull(change, value);
    reached.set(counter, value + add);
  }
}

function toStored(data: MemoryData, append: Append): StoredCommit {
  const { stream, expectedSeq, lastSeq } = append;
  const place = { stream, firstSeq: expectedSeq + 1, lastSeq };
  if (!data.chain) return { ...place, commit: append.commit };
  const { text, hash } = append.seal();
  return { ...place, sealed: { text, hash } };
}

function landCommit(data: MemoryData, commit: StoredCommit): void {
  data.log.push(commit);
  const commits = data.streams.get(commit.stream);
  if (commits === undefined) data.streams.set(commit.stream, [commit]);
  else commits.push(commit);
}

function landKeys(data: MemoryData, { commands = NONE, startKey }: CommitBatch): void {
  for (const { stream, id, outcome } of commands) data.commands.set(keyOf(stream, id), outcome);
  if (startKey !== undefined) {
    const { tenant, key, runId, digest } = startKey;
    data.startKeys.set(keyOf(tenant, key), { runId, digest });
  }
}

function landRows(data: MemoryData, { runs = NONE, requests = NONE, counters = NONE }: CommitBatch): void {
  for (const row of runs) {
    data.runs.set(row.runId, { ...row });
    if (row.dueAt === null) data.dueRuns.delete(row.runId);
    else data.dueRuns.add(row.runId);
  }
  for (const row of requests) data.requests.set(row.requestId, { ...row, assignees: [...row.assignees] });
  for (const { tenant, key, add } of counters) {
    const counter = keyOf(tenant, key);
    data.counters.set(counter, (data.counters.get(counter) ?? 0) + add);
  }
}

function landContent(data: MemoryData, batch: CommitBatch): void {
  for (const { tenant, digest, text } of batch.payloads ?? NONE) {
    const key = keyOf(tenant, digest);
    if (!data.payloads.has(key)) data.payloads.set(key, text);
  }
  for (const { tenant, digest, text } of batch.replacements ?? NONE) {
    const key = keyOf(tenant, digest);
    if (typeof data.payloads.get(key) === 'string') data.payloads.set(key, text);
  }
  for (const { tenant, digest } of batch.erasures ?? NONE) data.payloads.set(keyOf(tenant, digest), null);
  for (const row of batch.documents ?? NONE) {
    const key = keyOf(row.kind, row.name, row.hash);
    if (!data.documents.has(key)) data.documents.set(key, { ...row });
  }
  for (const row of batch.labels ?? NONE) data.labels.set(keyOf(row.tenant, row.kind, row.name, row.label), { ...row });
}
