import { type Query, query } from './query.ts';

export function upsertSnapshot(stream: number, seq: number, format: number, body: string): Query {
  return query(
    `INSERT INTO snapshots (stream, seq, format, body) VALUES (?, ?, ?, ?)
     ON CONFLICT (stream, seq) DO UPDATE SET format = excluded.format, body = excluded.body`,
    stream,
    seq,
    format,
    body,
  );
}

export function selectSnapshot(stream: string, maxSeq: number): Query<{ seq: number; format: number; body: string }> {
  return query(
    `SELECT seq, format, body FROM snapshots
     WHERE stream = (SELECT id FROM streams WHERE name = ?) AND seq <= ? ORDER BY seq DESC LIMIT 1`,
    stream,
    maxSeq,
  );
}

export function upsertChunk(stream: number, chunk: string, text: string): Query {
  return query(
    'INSERT INTO chunks (stream, chunk, text) VALUES (?, ?, ?) ON CONFLICT (stream, chunk) DO UPDATE SET text = excluded.text',
    stream,
    chunk,
    text,
  );
}

export function selectChunk(stream: number, chunk: string): Query<{ text: string }> {
  return query('SELECT text FROM chunks WHERE stream = ? AND chunk = ?', stream, chunk);
}

export function selectSnapshotSeqs(stream: string): Query<{ seq: number }> {
  return query('SELECT seq FROM snapshots WHERE stream = (SELECT id FROM streams WHERE name = ?) ORDER BY seq', stream);
}

export function deleteSnapshot(stream: number, seq: number): Query {
  return query('DELETE FROM snapshots WHERE stream = ? AND seq = ?', stream, seq);
}

export function deleteSnapshots(stream: number): Query {
  return query('DELETE FROM snapshots WHERE stream = ?', stream);
}

export function deleteChunks(stream: number): Query {
  return query('DELETE FROM chunks WHERE stream = ?', stream);
}

export function insertPayload(tenant: number, digest: string, text: string): Query {
  return query(
    'INSERT INTO payloads (tenant, digest, erased, text) VALUES (?, ?, 0, ?) ON CONFLICT DO NOTHING',
    tenant,
    digest,
    text,
  );
}

export function selectPayload(tenant: number, digest: string): Query<{ erased: number; text: string }> {
  return query(
    'SELECT erased, iif(erased, NULL, text) AS text FROM payloads WHERE tenant = ? AND digest = ?',
    tenant,
    digest,
  );
}

/**
 * Zeros of the same length, so that SQLite overwrites the cell where it is. A row that shrank would make it move the
 * neighbours to other pages, and moved rows leave copies in the free part of the page they came from.
 */
export function erasePayload(tenant: number, digest: string): Query {
  return query(
    `INSERT INTO payloads (tenant, digest, erased, text) VALUES (?, ?, 1, '')
     ON CONFLICT (tenant, digest) DO UPDATE SET erased = 1, text = zeroblob(octet_length(text))`,
    tenant,
    digest,
  );
}

/** Of the same length it overwrites the cell where it is, as zeros do. */
export function replacePayload(tenant: number, digest: string, text: string): Query {
  return query('UPDATE payloads SET text = ? WHERE tenant = ? AND digest = ? AND erased = 0', text, tenant, digest);
}

/** Set in the transaction that erases, cleared when the write-ahead log has been emptied since. */
export function insertChore(name: string): Query {
  return query('INSERT INTO chores (name) VALUES (?) ON CONFLICT DO NOTHING', name);
}

export function selectChore(name: string): Query<{ name: string }> {
  return query('SELECT name FROM chores WHERE name = ?', name);
}

export function deleteChore(name: string): Query {
  return query('DELETE FROM chores WHERE name = ?', name);
}

export function insertDocument(kind: string, name: string, hash: string, createdAt: number, text: string): Query {
  return query(
    'INSERT INTO documents (kind, name, hash, created_at, text) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    kind,
    name,
    hash,
    createdAt,
    text,
  );
}

export function selectDocument(kind: string, hash: string): Query<{ text: string }> {
  return query('SELECT text FROM documents WHERE kind = ? AND hash = ? ORDER BY id LIMIT 1', kind, hash);
}

/** `name` null: all. */
export function selectDocuments(
  kind: string,
  name: string | null,
): Query<{ kind: string; name: string; hash: string; createdAt: number }> {
  return query(
    `SELECT kind, name, hash, created_at AS createdAt FROM documents
     WHERE kind = ? AND (? IS NULL OR name = ?) ORDER BY id`,
    kind,
    name,
    name,
  );
}

export function upsertLabel(tenant: number, kind: string, name: string, label: string, hash: string): Query {
  return query(
    `INSERT INTO labels (tenant, kind, name, label, hash) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET hash = excluded.hash`,
    tenant,
    kind,
    name,
    label,
    hash,
  );
}

export function selectLabel(tenant: number, kind: string, name: string, label: string): Query<{ hash: string }> {
  return query(
    'SELECT hash FROM labels WHERE tenant = ? AND kind = ? AND name = ? AND label = ?',
    tenant,
    kind,
    name,
    label,
  );
}

export function selectLabels(
  tenant: number,
  kind: string,
  name: string | null,
): Query<{ kind: string; name: string; label: string; hash: string }> {
  return query(
    `SELECT kind, name, label, hash FROM labels WHERE tenant = ? AND kind = ? AND (? IS NULL OR name = ?)
     ORDER BY name, label`,
    tenant,
    kind,
    name,
    name,
  );
}

export function addToCounter(tenant: number, key: string, add: number): Query {
  return query(
    `INSERT INTO counters (tenant, key, value) VALUES (?, ?, ?)
     ON CONFLICT (tenant, key) DO UPDATE SET value = value + excluded.value`,
    tenant,
    key,
    add,
  );
}

export function selectCounter(tenant: number, key: string): Query<{ value: number }> {
  return query('SELECT value FROM counters WHERE tenant = ? AND key = ?', tenant, key);
}
