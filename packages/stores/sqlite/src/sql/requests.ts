import { type Query, query } from './query.ts';

/** Words by id; `run` and `session` are ids in `streams`; `assignees` are word ids, joined by commas. */
export interface StoredRequest {
  readonly requestId: string;
  readonly tenant: number;
  readonly run: number;
  readonly session: number | null;
  readonly kind: number;
  readonly title: string;
  readonly status: number;
  readonly assignees: string;
  readonly openedAt: number;
  readonly deadlineAt: number | null;
}

export function upsertRequest(row: StoredRequest): Query {
  return query(
    `INSERT INTO requests (request_id, tenant, run, session, kind, title, status, assignees, opened_at, deadline_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (request_id) DO UPDATE SET tenant = excluded.tenant, run = excluded.run, session = excluded.session,
       kind = excluded.kind, title = excluded.title, status = excluded.status, assignees = excluded.assignees,
       opened_at = excluded.opened_at, deadline_at = excluded.deadline_at`,
    row.requestId,
    row.tenant,
    row.run,
    row.session,
    row.kind,
    row.title,
    row.status,
    row.assignees,
    row.openedAt,
    row.deadlineAt,
  );
}

export type FoundRequest = Omit<StoredRequest, 'run' | 'session'> & {
  readonly id: number;
  readonly runId: string;
  readonly sessionId: string | null;
};

const SELECT = `SELECT requests.id AS id, request_id AS requestId, tenant, own.name AS runId, session.name AS sessionId, kind,
  title, status, assignees, opened_at AS openedAt, deadline_at AS deadlineAt
  FROM requests JOIN streams own ON own.id = requests.run LEFT JOIN streams session ON session.id = requests.session`;

/** What its rows in `assignments` were made of. */
export type AssignedRequest = Pick<FoundRequest, 'id' | 'tenant' | 'status' | 'openedAt' | 'assignees'>;

export function selectAssigned(requestId: string): Query<AssignedRequest> {
  return query(
    'SELECT id, tenant, status, opened_at AS openedAt, assignees FROM requests WHERE request_id = ?',
    requestId,
  );
}

export function selectRequest(requestId: string): Query<FoundRequest> {
  return query(`${SELECT} WHERE request_id = ?`, requestId);
}

export function selectRequestById(id: number): Query<FoundRequest> {
  return query(`${SELECT} WHERE requests.id = ?`, id);
}

/** Where a request stands in the order of age. */
export interface RequestPlace {
  readonly at: number;
  readonly id: number;
}

export interface RequestSlice {
  readonly tenant: number;
  readonly status: number;
  readonly after: RequestPlace;
  readonly limit: number;
}

export function selectPlaces({ tenant, status, after, limit }: RequestSlice): Query<RequestPlace> {
  return query(
    `SELECT opened_at AS at, id FROM requests WHERE tenant = ? AND status = ? AND (opened_at, id) > (?, ?)
     ORDER BY opened_at, id LIMIT ?`,
    tenant,
    status,
    after.at,
    after.id,
    limit,
  );
}

export function selectPlacesOfAssignee(assignee: number, slice: RequestSlice): Query<RequestPlace> {
  return query(
    `SELECT opened_at AS at, request AS id FROM assignments
     WHERE tenant = ? AND assignee = ? AND status = ? AND (opened_at, request) > (?, ?) ORDER BY opened_at, request LIMIT ?`,
    slice.tenant,
    assignee,
    slice.status,
    slice.after.at,
    slice.after.id,
    slice.limit,
  );
}

type Related = Pick<FoundRequest, 'assignees' | 'status'> &
  RequestPlace & { readonly run: number; readonly session: number | null };

const RELATED = 'SELECT opened_at AS at, id, status, assignees, run, session FROM requests';

export function selectPlacesOfRun(run: number, tenant: number): Query<Related> {
  return query(`${RELATED} WHERE run = ? AND tenant = ?`, run, tenant);
}

export function selectPlacesOfSession(session: number, tenant: number): Query<Related> {
  return query(`${RELATED} WHERE session = ? AND tenant = ?`, session, tenant);
}

/** `assignee` 0 stands for nobody: a request that anybody may take. */
export function insertAssignment(
  tenant: number,
  assignee: number,
  status: number,
  openedAt: number,
  request: number,
): Query {
  return query(
    'INSERT INTO assignments (tenant, assignee, status, opened_at, request) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    tenant,
    assignee,
    status,
    openedAt,
    request,
  );
}

export function deleteAssignment(
  tenant: number,
  assignee: number,
  status: number,
  openedAt: number,
  request: number,
): Query {
  return query(
    'DELETE FROM assignments WHERE tenant = ? AND assignee = ? AND status = ? AND opened_at = ? AND request = ?',
    tenant,
    assignee,
    status,
    openedAt,
    request,
  );
}
