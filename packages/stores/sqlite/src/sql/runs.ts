import { type Query, query } from './query.ts';

/** Words by id; `run` and `session` are ids in `streams`. */
export interface StoredRun {
  readonly run: number;
  readonly tenant: number;
  readonly graph: number;
  readonly version: number;
  readonly status: number;
  readonly reason: number | null;
  readonly session: number | null;
  readonly key: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly dueAt: number | null;
  readonly owner: number | null;
}

export function upsertRun(row: StoredRun): Query {
  return query(
    `INSERT INTO runs (id, tenant, graph, version, status, reason, session, key, created_at, updated_at, due_at, owner)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET tenant = excluded.tenant, graph = excluded.graph, version = excluded.version,
       status = excluded.status, reason = excluded.reason, session = excluded.session, key = excluded.key,
       created_at = excluded.created_at, updated_at = excluded.updated_at, due_at = excluded.due_at, owner = excluded.owner`,
    row.run,
    row.tenant,
    row.graph,
    row.version,
    row.status,
    row.reason,
    row.session,
    row.key,
    row.createdAt,
    row.updatedAt,
    row.dueAt,
    row.owner,
  );
}

export type FoundRun = Omit<StoredRun, 'session'> & { readonly runId: string; readonly sessionId: string | null };

const COLUMNS = `runs.id AS run, own.name AS runId, tenant, graph, version, status, reason, session.name AS sessionId, key,
  created_at AS createdAt, updated_at AS updatedAt, due_at AS dueAt, owner`;
const NAMES = 'JOIN streams own ON own.id = runs.id LEFT JOIN streams session ON session.id = runs.session';

export function selectRun(runId: string): Query<FoundRun> {
  return query(`SELECT ${COLUMNS} FROM runs ${NAMES} WHERE runs.id = (SELECT id FROM streams WHERE name = ?)`, runId);
}

/** Newest first, from behind a place. A filter that is null lets everything through. */
export interface RunSlice {
  readonly tenant: number;
  readonly graph: number | null;
  readonly beforeAt: number;
  readonly beforeId: number;
  readonly limit: number;
}

const SLICE = `AND (? IS NULL OR graph = ?) AND (created_at, runs.id) < (?, ?)
  ORDER BY created_at DESC, runs.id DESC LIMIT ?`;

function sliceValues({ graph, beforeAt, beforeId, limit }: RunSlice): (number | null)[] {
  return [graph, graph, beforeAt, beforeId, limit];
}

export function selectRuns(slice: RunSlice): Query<FoundRun> {
  return query(`SELECT ${COLUMNS} FROM runs ${NAMES} WHERE tenant = ? ${SLICE}`, slice.tenant, ...sliceValues(slice));
}

export function selectRunsOfStatus(status: number, slice: RunSlice): Query<FoundRun> {
  return query(
    `SELECT ${COLUMNS} FROM runs ${NAMES} WHERE tenant = ? AND status = ? ${SLICE}`,
    slice.tenant,
    status,
    ...sliceValues(slice),
  );
}

/** `status` null: any. */
export function selectRunsOfSession(session: number, status: number | null, slice: RunSlice): Query<FoundRun> {
  return query(
    `SELECT ${COLUMNS} FROM runs ${NAMES} WHERE runs.session = ? AND tenant = ? AND (? IS NULL OR status = ?) ${SLICE}`,
    session,
    slice.tenant,
    status,
    status,
    ...sliceValues(slice),
  );
}

export interface DueSlice {
  readonly now: number;
  readonly owner: number;
  readonly limit: number;
  readonly after?: { readonly runId: string; readonly dueAt: number };
  readonly runId?: string;
}

const DUE_PLACE = '(SELECT id FROM streams WHERE name = ?)';

/** Earliest first, those of one time by id; what is before the place is not read. */
export function selectDue({
  now,
  owner,
  limit,
  after,
  runId,
}: DueSlice): Query<{ runId: string; dueAt: number; owner: number | null }> {
  const behind = after === undefined ? '' : `AND (due_at, runs.id) > (?, coalesce(${DUE_PLACE}, 0))`;
  const alone = runId === undefined ? '' : `AND runs.id = ${DUE_PLACE}`;
  return query(
    `SELECT name AS runId, due_at AS dueAt, runs.owner AS owner
     FROM runs JOIN streams ON streams.id = runs.id LEFT JOIN leases ON leases.owner = runs.owner
     WHERE due_at <= ? AND (runs.owner IS NULL OR runs.owner = ? OR coalesce(until, 0) <= ?) ${behind} ${alone}
     ORDER BY due_at, runs.id LIMIT ?`,
    now,
    owner,
    now,
    ...(after === undefined ? [] : [after.dueAt, after.runId]),
    ...(runId === undefined ? [] : [runId]),
    limit,
  );
}

export function selectNextDue(now: number): Query<{ dueAt: number }> {
  return query('SELECT due_at AS dueAt FROM runs WHERE due_at > ? ORDER BY due_at LIMIT 1', now);
}

export function upsertLease(owner: number, until: number): Query {
  return query(
    'INSERT INTO leases (owner, until) VALUES (?, ?) ON CONFLICT (owner) DO UPDATE SET until = excluded.until',
    owner,
    until,
  );
}

export function deleteLease(owner: number): Query {
  return query('DELETE FROM leases WHERE owner = ?', owner);
}
