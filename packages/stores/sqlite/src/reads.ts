import { type EventStore, type Sealed, type StoredCommit, storeErrors } from '@signalbox/ports';
import type { Connection } from './connection.ts';
import { findRequest, findRequests } from './find-requests.ts';
import { findRun, findRuns } from './find-runs.ts';
import type { Names } from './names.ts';
import {
  type CommitRow,
  selectCommits,
  selectFeed,
  selectHashAt,
  selectHead,
  selectNewestCommit,
  selectStreams,
} from './sql/commits.ts';
import {
  selectChunk,
  selectCounter,
  selectDocument,
  selectDocuments,
  selectLabel,
  selectLabels,
  selectPayload,
  selectSnapshot,
  selectSnapshotSeqs,
} from './sql/content.ts';
import { selectCommand, selectStartKey } from './sql/keys.ts';
import { selectDue, selectNextDue } from './sql/runs.ts';
import { wholeText } from './stored-text.ts';

/** Runs a synchronous read, again while another process holds a lock. */
export type Read = <T>(from: () => T) => Promise<T>;

type HistoryReads = Pick<EventStore, 'read' | 'head' | 'feed' | 'feedEnd' | 'streams' | 'commandOutcome' | 'startKey'>;

export function historyReads(db: Connection, names: Names, read: Read): HistoryReads {
  return {
    read: (stream, { fromSeq = 1, toSeq = Number.MAX_SAFE_INTEGER, limit = 1000 } = {}) =>
      read(() => {
        const id = names.streamId(stream);
        if (id === undefined) return [];
        const hashBefore = hashesBefore(db);
        return db.all(selectCommits(id, fromSeq, toSeq, limit)).map(row => toStored(stream, row, hashBefore(id, row)));
      }),
    head: stream =>
      read(() => {
        const id = names.streamId(stream);
        const found = id === undefined ? undefined : db.one(selectHead(id));
        return found && { seq: found.last, hash: toHex(found.hash) };
      }),
    feed: ({ after = '0', limit = 1000 }) =>
      read(() => {
        const start = /^\d{1,15}$/.test(after) ? Number(after) : Number.NaN;
        const rows = db.all(selectFeed(start, limit));
        if (rows.length === 0 && !(start <= newest(db))) throw storeErrors.invalidCursor(after);
        const cursors = rows.map(row => String(row.id));
        const hashBefore = hashesBefore(db);
        const commits = rows.map(row => toStored(row.name, row, hashBefore(row.stream, row)));
        return { commits, cursors, cursor: cursors.at(-1) ?? String(start) };
      }),
    feedEnd: () => read(() => String(newest(db))),
    streams: ({ prefix = '', after = '', limit = 1000 }) =>
      read(() => db.all(selectStreams(prefix, `${prefix}\u{10ffff}`, after, limit)).map(({ name }) => name)),
    commandOutcome: (stream, commandId) => read(() => db.one(selectCommand(stream, commandId))?.outcome),
    startKey: (tenant, key) =>
      read(() => {
        const id = names.wordId(tenant);
        const found = id === undefined ? undefined : db.one(selectStartKey(id, key));
        return found && { ...found };
      }),
  };
}

function newest(db: Connection): number {
  return db.one(selectNewestCommit())?.id ?? 0;
}

function toStored(stream: string, row: CommitRow, prev: string | undefined): StoredCommit {
  const { first, last, hash } = row;
  const sealed: Sealed = { text: wholeText(row, { stream, first, prev }), hash: toHex(hash) };
  return { stream, firstSeq: first, lastSeq: last, sealed };
}

/** The hash before each commit of a page, for those whose text was stored without; most stand in the same page. */
function hashesBefore(db: Connection): (stream: number, row: CommitRow) => string | undefined {
  const heads = new Map<number, { readonly last: number; readonly hash: Uint8Array }>();
  return (stream, row) => {
    const before = heads.get(stream);
    heads.set(stream, row);
    if (row.cut === null || row.cut === 0) return undefined;
    const hash = before?.last === row.first - 1 ? before.hash : db.one(selectHashAt(stream, row.first - 1))?.hash;
    return hash && toHex(hash);
  };
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

type RowReads = Pick<EventStore, 'runs' | 'run' | 'requests' | 'request' | 'due' | 'nextDue' | 'counter'>;

export function rowReads(db: Connection, names: Names, read: Read): RowReads {
  return {
    runs: query => read(() => db.together(() => findRuns(db, names, query))),
    run: runId => read(() => findRun(db, names, runId)),
    requests: query => read(() => db.together(() => findRequests(db, names, query))),
    request: requestId => read(() => findRequest(db, names, requestId)),
    due: ({ owner, ...slice }) =>
      read(() =>
        db
          .all(selectDue({ ...slice, owner: names.wordId(owner) ?? NO_WORD }))
          .map(({ runId, dueAt, owner }) => ({ runId, dueAt, owner: owner === null ? null : names.word(owner) })),
      ),
    nextDue: now => read(() => db.one(selectNextDue(now))?.dueAt),
    counter: (tenant, key) =>
      read(() => {
        const id = names.wordId(tenant);
        return (id === undefined ? undefined : db.one(selectCounter(id, key))?.value) ?? 0;
      }),
  };
}

/** The id of no word. */
const NO_WORD = 0;

type ContentReads = Pick<
  EventStore,
  'snapshot' | 'snapshotSeqs' | 'chunks' | 'payload' | 'payloadErased' | 'document' | 'documents' | 'label' | 'labels'
>;

export function contentReads(db: Connection, names: Names, read: Read): ContentReads {
  const payload = (tenant: string, digest: string) => {
    const id = names.wordId(tenant);
    return id === undefined ? undefined : db.one(selectPayload(id, digest));
  };
  return {
    snapshot: (stream, maxSeq = Number.MAX_SAFE_INTEGER) =>
      read(() => {
        const found = db.one(selectSnapshot(stream, maxSeq));
        return found && { stream, ...found };
      }),
    snapshotSeqs: stream => read(() => db.all(selectSnapshotSeqs(stream)).map(({ seq }) => seq)),
    chunks: (stream, ids) =>
      read(() => {
        const stored = names.streamId(stream);
        if (stored === undefined) return [];
        return ids.flatMap(id => {
          const text = db.one(selectChunk(stored, id))?.text;
          return text === undefined ? [] : [{ id, text }];
        });
      }),
    payload: (tenant, digest) => read(() => payload(tenant, digest)?.text ?? undefined),
    payloadErased: (tenant, digest) => read(() => payload(tenant, digest)?.erased === 1),
    document: (kind, hash) => read(() => db.one(selectDocument(kind, hash))?.text),
    documents: (kind, name) => read(() => db.all(selectDocuments(kind, name ?? null)).map(row => ({ ...row }))),
    label: (tenant, kind, name, label) =>
      read(() => {
        const id = names.wordId(tenant);
        return id === undefined ? undefined : db.one(selectLabel(id, kind, name, label))?.hash;
      }),
    labels: (tenant, kind, name) =>
      read(() => {
        const id = names.wordId(tenant);
        return id === undefined ? [] : db.all(selectLabels(id, kind, name ?? null)).map(row => ({ ...row }));
      }),
  };
}
