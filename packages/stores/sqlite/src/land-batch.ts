import {
  type Append,
  type CommitBatch,
  type CounterChange,
  type RequestRow,
  type RunRow,
  type Sealed,
  storeErrors,
} from '@signalbox/ports';
import type { Connection } from './connection.ts';
import type { Names } from './names.ts';
import { insertCommit } from './sql/commits.ts';
import {
  addToCounter,
  erasePayload,
  insertChore,
  insertDocument,
  insertPayload,
  replacePayload,
  selectCounter,
  upsertLabel,
} from './sql/content.ts';
import { insertCommand, insertStartKey } from './sql/keys.ts';
import {
  type AssignedRequest,
  deleteAssignment,
  insertAssignment,
  selectAssigned,
  upsertRequest,
} from './sql/requests.ts';
import { upsertRun } from './sql/runs.ts';
import { leanText } from './stored-text.ts';

/** Set when bytes were erased that the write-ahead log still holds. */
export const EMPTY_LOG = 'emptyLog';

/** Whether bytes are to go from the files with it. */
export function erases({ erasures = [], replacements = [] }: CommitBatch): boolean {
  return erasures.length > 0 || replacements.length > 0;
}

/** Lands a batch inside a transaction, or throws; whoever opened the transaction undoes it then. `sealed` goes by append. */
export function landBatch(db: Connection, names: Names, batch: CommitBatch, sealed: readonly Sealed[]): void {
  for (const [index, append] of batch.appends.entries()) landCommit(db, names, append, sealed[index]);
  landKeys(db, names, batch);
  for (const row of batch.runs ?? []) landRun(db, names, row);
  for (const row of batch.requests ?? []) landRequest(db, names, row);
  for (const change of batch.counters ?? []) landCounter(db, names, change);
  landContent(db, names, batch);
}

function landCommit(db: Connection, names: Names, append: Append, sealed = append.seal()): void {
  const { stream, expectedSeq, expectedHash, lastSeq } = append;
  if (lastSeq <= expectedSeq) throw storeErrors.emptyAppend(stream, expectedSeq, lastSeq);
  const { id, seq, hash } = names.placeFor(stream);
  if (seq !== expectedSeq) throw storeErrors.lostUpdate(stream, expectedSeq, seq);
  if (expectedHash !== undefined && hash !== expectedHash) throw storeErrors.otherHead(stream, seq);
  const first = expectedSeq + 1;
  const lean = leanText(sealed.text, { stream, first, prev: hash });
  db.run(insertCommit(id, { first, last: lastSeq, hash: Buffer.from(sealed.hash, 'hex'), ...lean }));
  names.setPlace(stream, { id, seq: lastSeq, hash: sealed.hash });
}

function landKeys(db: Connection, names: Names, { commands = [], startKey }: CommitBatch): void {
  for (const { stream, id, outcome } of commands) {
    const landed = db.run(insertCommand(names.streamIdFor(stream), id, outcome));
    if (landed === 0) throw storeErrors.commandTaken(stream, id);
  }
  if (startKey === undefined) return;
  const { tenant, key, runId, digest } = startKey;
  const landed = db.run(insertStartKey(names.wordIdFor(tenant), key, names.streamIdFor(runId), digest));
  if (landed === 0) throw storeErrors.startKeyTaken(tenant, key);
}

function landRun(db: Connection, names: Names, row: RunRow): void {
  db.run(
    upsertRun({
      run: names.streamIdFor(row.runId),
      tenant: names.wordIdFor(row.tenant),
      graph: names.wordIdFor(row.graph),
      version: names.wordIdFor(row.version),
      status: names.wordIdFor(row.status),
      reason: row.reason === null ? null : names.wordIdFor(row.reason),
      session: row.session === null ? null : names.streamIdFor(row.session),
      key: row.key,
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
      dueAt: row.dueAt,
      owner: row.owner === null ? null : names.wordIdFor(row.owner),
    }),
  );
}

function landRequest(db: Connection, names: Names, row: RequestRow): void {
  const before = db.one(selectAssigned(row.requestId));
  if (before !== undefined) dropAssignments(db, before);
  const tenant = names.wordIdFor(row.tenant);
  const status = names.wordIdFor(row.status);
  const assignees = row.assignees.map(names.wordIdFor);
  const inserted = db.insert(
    upsertRequest({
      requestId: row.requestId,
      tenant,
      run: names.streamIdFor(row.runId),
      session: row.session === null ? null : names.streamIdFor(row.session),
      kind: names.wordIdFor(row.kind),
      title: row.title,
      status,
      assignees: assignees.join(','),
      openedAt: row.openedAt,
      deadlineAt: row.deadlineAt,
    }),
  );
  const request = before?.id ?? inserted;
  for (const who of assignees.length === 0 ? [NOBODY] : assignees) {
    db.run(insertAssignment(tenant, who, status, row.openedAt, request));
  }
}

/** Stands in `assignments` for a request without assignees. */
export const NOBODY = 0;

export function toAssigneeIds(assignees: string): number[] {
  return assignees === '' ? [] : assignees.split(',').map(Number);
}

function dropAssignments(db: Connection, { tenant, status, openedAt, id, assignees }: AssignedRequest): void {
  for (const who of assignees === '' ? [NOBODY] : toAssigneeIds(assignees)) {
    db.run(deleteAssignment(tenant, who, status, openedAt, id));
  }
}

function landCounter(db: Connection, names: Names, change: CounterChange): void {
  const { key, add, max } = change;
  const tenant = names.wordIdFor(change.tenant);
  if (max !== undefined) {
    const value = db.one(selectCounter(tenant, key))?.value ?? 0;
    if (value + add > max) throw storeErrors.counterFull(change, value);
  }
  db.run(addToCounter(tenant, key, add));
}

function landContent(db: Connection, names: Names, batch: CommitBatch): void {
  const { payloads = [], replacements = [], erasures = [], documents = [], labels = [] } = batch;
  for (const { tenant, digest, text } of payloads) db.run(insertPayload(names.wordIdFor(tenant), digest, text));
  for (const { tenant, digest, text } of replacements) db.run(replacePayload(names.wordIdFor(tenant), digest, text));
  for (const { tenant, digest } of erasures) db.run(erasePayload(names.wordIdFor(tenant), digest));
  if (erases(batch)) db.run(insertChore(EMPTY_LOG));
  for (const { kind, name, hash, createdAt, text } of documents) {
    db.run(insertDocument(kind, name, hash, createdAt, text));
  }
  for (const { tenant, kind, name, label, hash } of labels) {
    db.run(upsertLabel(names.wordIdFor(tenant), kind, name, label, hash));
  }
}
