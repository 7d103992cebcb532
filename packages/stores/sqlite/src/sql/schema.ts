/**
 * The schema, one script per version, applied in order. A script that was released is never changed.
 *
 *  1. `commits` is a rowid table: bodies over a quarter of a page would leave a WITHOUT ROWID tree for overflow pages.
 *  2. A commit's `id` is the feed's cursor. One connection at a time holds the write lock, from before the ids are given
 *     until they are visible, so ids become visible in their order. Commits are never deleted, so no id is used twice.
 *  3. Two b-trees are touched by a commit: the table and (stream, last). The head of a stream is its last commit.
 *  4. Names that repeat stand once, in `words` and `streams`; rows hold integers.
 *  5. What of a commit's text its row says already, or the row before, is not stored again: `cut` says what was left out
 *     (`stored-text.ts`). Of 100,000 runs that wait, commits are nine tenths.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE words (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
  CREATE TABLE streams (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

  CREATE TABLE commits (
    id INTEGER PRIMARY KEY, stream INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    hash BLOB NOT NULL, text TEXT NOT NULL);
  CREATE UNIQUE INDEX commits_by_stream ON commits (stream, last);

  CREATE TABLE commands (
    stream INTEGER NOT NULL, id TEXT NOT NULL, outcome TEXT NOT NULL, PRIMARY KEY (stream, id)) WITHOUT ROWID;
  CREATE TABLE start_keys (
    tenant INTEGER NOT NULL, key TEXT NOT NULL, run INTEGER NOT NULL, digest TEXT NOT NULL,
    PRIMARY KEY (tenant, key)) WITHOUT ROWID;

  CREATE TABLE runs (
    id INTEGER PRIMARY KEY, tenant INTEGER NOT NULL, graph INTEGER NOT NULL, version INTEGER NOT NULL,
    status INTEGER NOT NULL, reason INTEGER, session INTEGER, key TEXT, created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, due_at INTEGER, owner INTEGER);
  CREATE INDEX runs_by_age ON runs (tenant, created_at);
  CREATE INDEX runs_by_status ON runs (tenant, status, created_at);
  CREATE INDEX runs_by_session ON runs (session, created_at) WHERE session IS NOT NULL;
  CREATE INDEX runs_by_due ON runs (due_at) WHERE due_at IS NOT NULL;
  CREATE TABLE leases (owner INTEGER PRIMARY KEY, until INTEGER NOT NULL);

  CREATE TABLE requests (
    id INTEGER PRIMARY KEY, request_id TEXT NOT NULL UNIQUE, tenant INTEGER NOT NULL, run INTEGER NOT NULL,
    session INTEGER, kind INTEGER NOT NULL, title TEXT NOT NULL, status INTEGER NOT NULL, assignees TEXT NOT NULL,
    opened_at INTEGER NOT NULL, deadline_at INTEGER);
  CREATE INDEX requests_by_status ON requests (tenant, status, opened_at);
  CREATE INDEX requests_by_run ON requests (run);
  CREATE INDEX requests_by_session ON requests (session) WHERE session IS NOT NULL;
  CREATE TABLE assignments (
    tenant INTEGER NOT NULL, assignee INTEGER NOT NULL, status INTEGER NOT NULL, opened_at INTEGER NOT NULL,
    request INTEGER NOT NULL, PRIMARY KEY (tenant, assignee, status, opened_at, request)) WITHOUT ROWID;

  CREATE TABLE snapshots (
    id INTEGER PRIMARY KEY, stream INTEGER NOT NULL, seq INTEGER NOT NULL, format INTEGER NOT NULL, body TEXT NOT NULL);
  CREATE UNIQUE INDEX snapshots_by_seq ON snapshots (stream, seq);
  CREATE TABLE chunks (id INTEGER PRIMARY KEY, stream INTEGER NOT NULL, chunk TEXT NOT NULL, text TEXT NOT NULL);
  CREATE UNIQUE INDEX chunks_by_name ON chunks (stream, chunk);

  CREATE TABLE payloads (
    id INTEGER PRIMARY KEY, tenant INTEGER NOT NULL, digest TEXT NOT NULL, erased INTEGER NOT NULL, text NOT NULL);
  CREATE UNIQUE INDEX payloads_by_digest ON payloads (tenant, digest);
  CREATE TABLE chores (name TEXT PRIMARY KEY) WITHOUT ROWID;

  CREATE TABLE documents (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, hash TEXT NOT NULL, created_at INTEGER NOT NULL,
    text TEXT NOT NULL);
  CREATE UNIQUE INDEX documents_by_hash ON documents (kind, hash, name);
  CREATE TABLE labels (
    tenant INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, label TEXT NOT NULL, hash TEXT NOT NULL,
    PRIMARY KEY (tenant, kind, name, label)) WITHOUT ROWID;
  CREATE TABLE counters (
    tenant INTEGER NOT NULL, key TEXT NOT NULL, value REAL NOT NULL, PRIMARY KEY (tenant, key)) WITHOUT ROWID;
  `,
  `
  ALTER TABLE commits ADD COLUMN cut INTEGER;
  `,
];

/** Marks the file as ours ('SBOX'). */
export const APPLICATION_ID = 0x53424f58;
