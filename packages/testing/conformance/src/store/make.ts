import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Commit } from '@signalbox/kernel';
import {
  type Append,
  type CommitBatch,
  type EventStore,
  isStoreConflict,
  type RequestRow,
  type RunRow,
  type Sealed,
  type StoreConflict,
  type StoredCommit,
} from '@signalbox/ports';

/** Lands a batch without asking for a sync. */
export function land(store: EventStore, batch: Partial<CommitBatch>): Promise<void> {
  return store.commit({ appends: [], ...batch }, { sync: false });
}

/** An append of `count` events after `expectedSeq`; `note` makes its content tell it apart. */
export function append(stream: string, expectedSeq: number, count = 1, note = ''): Append {
  return chained(stream, expectedSeq, count, note);
}

/** An append of one event that names the hash of the one before it. */
export function appendAfter(before: Append, note = ''): Append {
  return chained(before.stream, before.lastSeq, 1, note, before.seal().hash);
}

function chained(stream: string, expectedSeq: number, count: number, note: string, prev?: string): Append {
  const commit: Commit = {
    stream,
    firstSeq: expectedSeq + 1,
    at: '2026-11-30T10:00:00.000Z',
    actor: { kind: 'system', id: 'conformance' },
    ...(prev === undefined ? {} : { prev }),
    events: Array.from({ length: count }, (_, index) => ({ type: 'note.added', data: { index, note } })),
  };
  return appendOf(commit, () => JSON.stringify(commit));
}

/** An append whose stored text is exactly `text`. */
export function appendText(stream: string, expectedSeq: number, text: string): Append {
  return appendOf(append(stream, expectedSeq, 1, text).commit, () => text);
}

function appendOf(commit: Commit, toText: () => string): Append {
  let sealed: Sealed | undefined;
  return {
    stream: commit.stream,
    expectedSeq: commit.firstSeq - 1,
    expectedHash: commit.prev,
    lastSeq: commit.firstSeq - 1 + commit.events.length,
    commit,
    seal() {
      if (sealed === undefined) {
        const text = toText();
        sealed = { text, hash: createHash('sha256').update(text).digest('hex') };
      }
      return sealed;
    },
  };
}

/** Lands `count` commits of one event each; the n-th is noted `stream#n`. */
export async function fill(store: EventStore, stream: string, count: number, from = 0): Promise<Append[]> {
  const appends = Array.from({ length: count }, (_, index) =>
    append(stream, from + index, 1, `${stream}#${from + index + 1}`),
  );
  for (const one of appends) await land(store, { appends: [one] });
  return appends;
}

/** The stored commit is the one appended, to the byte. */
export function assertStored(store: EventStore, stored: StoredCommit | undefined, appended: Append): void {
  assert.ok(stored !== undefined, `commit ${appended.stream}.${appended.lastSeq} is missing`);
  assert.equal(stored.stream, appended.stream);
  assert.equal(stored.firstSeq, appended.expectedSeq + 1);
  assert.equal(stored.lastSeq, appended.lastSeq);
  if (store.features.chained) {
    assert.equal(stored.commit, undefined);
    assert.ok(stored.sealed?.text === appended.seal().text, `text of ${appended.stream}.${appended.lastSeq} differs`);
    assert.equal(stored.sealed.hash, appended.seal().hash);
  } else {
    assert.equal(stored.sealed, undefined);
    assert.deepEqual(stored.commit, appended.commit);
  }
}

export function assertAllStored(store: EventStore, stored: readonly StoredCommit[], appended: readonly Append[]): void {
  assert.deepEqual(stored.map(nameOf), appended.map(nameOf));
  for (const [index, one] of appended.entries()) assertStored(store, stored[index], one);
}

export function nameOf({ stream, lastSeq }: { readonly stream: string; readonly lastSeq: number }): string {
  return `${stream}.${lastSeq}`;
}

/** The promise rejects with a `StoreConflict`. */
export async function conflictOf(work: Promise<unknown>): Promise<StoreConflict> {
  const error = await rejectionOf(work);
  assert.ok(isStoreConflict(error), `expected a StoreConflict, got ${String(error)}`);
  return error;
}

export async function rejectionOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  assert.fail('expected a rejection');
}

export async function rejectsWith(code: string, work: Promise<unknown>): Promise<void> {
  const error = await rejectionOf(work);
  assert.equal((error as { readonly code?: unknown }).code, code, `expected ${code}, got ${String(error)}`);
}

/** Who of several landed; the others must have lost a compare-and-set. */
export async function winnersOf(attempts: readonly Promise<void>[]): Promise<number[]> {
  const settled = await Promise.allSettled(attempts);
  return settled.flatMap((outcome, index) => {
    if (outcome.status === 'fulfilled') return [index];
    assert.ok(isStoreConflict(outcome.reason), `expected a StoreConflict, got ${String(outcome.reason)}`);
    return [];
  });
}

export const NOON = Date.UTC(2026, 10, 30, 12);

export function runRow(runId: string, row: Partial<RunRow> = {}): RunRow {
  return {
    tenant: 'default',
    runId,
    graph: 'refund-desk',
    version: 'a1'.repeat(32),
    status: 'running',
    reason: null,
    session: null,
    key: null,
    createdAt: NOON,
    updatedAt: NOON,
    dueAt: null,
    owner: null,
    ...row,
  };
}

export function requestRow(requestId: string, row: Partial<RequestRow> = {}): RequestRow {
  return {
    tenant: 'default',
    requestId,
    runId: 'run_1',
    session: null,
    kind: 'form',
    title: 'How much do we refund?',
    status: 'open',
    assignees: [],
    openedAt: NOON,
    deadlineAt: null,
    ...row,
  };
}

/** All commits of the feed, by pages of `limit`. */
export async function wholeFeed(store: EventStore, limit = 100): Promise<StoredCommit[]> {
  const commits: StoredCommit[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await store.feed(after === undefined ? { limit } : { after, limit });
    if (page.commits.length === 0) return commits;
    assert.ok(page.commits.length <= limit, `a feed page of ${page.commits.length} where ${limit} was asked`);
    commits.push(...page.commits);
    after = page.cursor;
  }
}

/** All rows of a list, page by page; a list that turns in a circle is told. */
export async function allPages<Row>(
  page: (after: string | undefined) => Promise<{ readonly rows: readonly Row[]; readonly next: string | undefined }>,
): Promise<Row[]> {
  const rows: Row[] = [];
  let after: string | undefined;
  for (let turn = 0; turn < 1000; turn += 1) {
    const found = await page(after);
    rows.push(...found.rows);
    if (found.next === undefined) return rows;
    after = found.next;
  }
  return assert.fail('the pages do not come to an end');
}

/** `{ after }`, or nothing when there is none. */
export function from(after: string | undefined): { after?: string } {
  return after === undefined ? {} : { after };
}
