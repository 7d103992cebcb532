import { type Query, query } from './query.ts';

export function insertCommand(stream: number, id: string, outcome: string): Query {
  return query(
    'INSERT INTO commands (stream, id, outcome) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    stream,
    id,
    outcome,
  );
}

export function selectCommand(stream: string, id: string): Query<{ outcome: string }> {
  return query(
    'SELECT outcome FROM commands WHERE stream = (SELECT id FROM streams WHERE name = ?) AND id = ?',
    stream,
    id,
  );
}

export function insertStartKey(tenant: number, key: string, run: number, digest: string): Query {
  return query(
    'INSERT INTO start_keys (tenant, key, run, digest) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    tenant,
    key,
    run,
    digest,
  );
}

export function selectStartKey(tenant: number, key: string): Query<{ runId: string; digest: string }> {
  return query(
    `SELECT name AS runId, digest FROM start_keys JOIN streams ON streams.id = run WHERE tenant = ? AND key = ?`,
    tenant,
    key,
  );
}
