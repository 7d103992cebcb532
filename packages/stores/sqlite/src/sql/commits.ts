import type { StoredText } from '../stored-text.ts';
import { type Query, query } from './query.ts';

/** Streams: the names of everything that has commits or a row, each stored once. */
export function selectStreamId(name: string): Query<{ id: number }> {
  return query('SELECT id FROM streams WHERE name = ?', name);
}

export function insertStream(name: string): Query {
  return query('INSERT INTO streams (name) VALUES (?)', name);
}

/** `from` and `before` bound the names with the prefix; a name counts when it has commits. */
export function selectStreams(from: string, before: string, after: string, limit: number): Query<{ name: string }> {
  return query(
    `SELECT name FROM streams
     WHERE name >= ? AND name < ? AND name > ? AND EXISTS (SELECT 1 FROM commits WHERE stream = streams.id)
     ORDER BY name LIMIT ?`,
    from,
    before,
    after,
    limit,
  );
}

export interface CommitRow extends StoredText {
  readonly first: number;
  readonly last: number;
  readonly hash: Uint8Array;
}

export function insertCommit(stream: number, { first, last, hash, text, cut }: CommitRow): Query {
  return query(
    'INSERT INTO commits (stream, first, last, hash, text, cut) VALUES (?, ?, ?, ?, ?, ?)',
    stream,
    first,
    last,
    hash,
    text,
    cut,
  );
}

/** A stream's head is its last commit; no row of its own is kept. */
export function selectHead(stream: number): Query<{ last: number; hash: Uint8Array }> {
  return query('SELECT last, hash FROM commits WHERE stream = ? ORDER BY last DESC LIMIT 1', stream);
}

export function selectHashAt(stream: number, last: number): Query<{ hash: Uint8Array }> {
  return query('SELECT hash FROM commits WHERE stream = ? AND last = ?', stream, last);
}

/** Stops at the commit that holds `toSeq`, found by one seek, so the rest of a long stream is not scanned. */
export function selectCommits(stream: number, fromSeq: number, toSeq: number, limit: number): Query<CommitRow> {
  return query(
    `SELECT first, last, hash, text, cut FROM commits
     WHERE stream = ? AND last >= ? AND first <= ? AND last <= coalesce(
       (SELECT last FROM commits WHERE stream = ? AND last >= ? ORDER BY last LIMIT 1), 9007199254740991)
     ORDER BY last LIMIT ?`,
    stream,
    fromSeq,
    toSeq,
    stream,
    toSeq,
    limit,
  );
}

export function selectFeed(
  after: number,
  limit: number,
): Query<CommitRow & { id: number; stream: number; name: string }> {
  return query(
    `SELECT commits.id AS id, stream, name, first, last, hash, text, cut FROM commits JOIN streams ON streams.id = stream
     WHERE commits.id > ? ORDER BY commits.id LIMIT ?`,
    after,
    limit,
  );
}

export function selectNewestCommit(): Query<{ id: number | null }> {
  return query('SELECT max(id) AS id FROM commits');
}
