import type { Page, RunQuery, RunRow } from '@signalbox/ports';
import type { Connection } from './connection.ts';
import { fromCursor, toCursor } from './cursor.ts';
import type { Names } from './names.ts';
import {
  type FoundRun,
  type RunSlice,
  selectRun,
  selectRuns,
  selectRunsOfSession,
  selectRunsOfStatus,
} from './sql/runs.ts';

const NO_ROWS: Page<never> = { rows: [], next: undefined };

/** One index scan for each status that is asked for, each cut at the page's length, and their union cut again. */
export function findRuns(db: Connection, names: Names, query: RunQuery): Page<RunRow> {
  const { limit = 100 } = query;
  const before = query.after === undefined ? undefined : fromCursor(query.after);
  const tenant = names.wordId(query.tenant);
  const graph = query.graph === undefined ? null : names.wordId(query.graph);
  if (tenant === undefined || graph === undefined) return NO_ROWS;
  const slice: RunSlice = {
    tenant,
    graph,
    beforeAt: before?.at ?? Number.MAX_SAFE_INTEGER,
    beforeId: before?.id ?? Number.MAX_SAFE_INTEGER,
    limit: limit + 1,
  };
  const found = candidates(db, names, query, slice).sort((a, b) => b.createdAt - a.createdAt || b.run - a.run);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    rows: page.map(row => toRunRow(names, row)),
    next: last !== undefined && found.length > limit ? toCursor({ at: last.createdAt, id: last.run }) : undefined,
  };
}

function candidates(db: Connection, names: Names, query: RunQuery, slice: RunSlice): FoundRun[] {
  const statuses = query.status && [...new Set(query.status)].flatMap(status => names.wordId(status) ?? []);
  if (query.session === undefined) {
    if (statuses === undefined) return db.all(selectRuns(slice));
    return statuses.flatMap(status => db.all(selectRunsOfStatus(status, slice)));
  }
  const session = names.streamId(query.session);
  if (session === undefined) return [];
  return (statuses ?? [null]).flatMap(status => db.all(selectRunsOfSession(session, status, slice)));
}

export function findRun(db: Connection, names: Names, runId: string): RunRow | undefined {
  const found = db.one(selectRun(runId));
  return found && toRunRow(names, found);
}

function toRunRow(names: Names, row: FoundRun): RunRow {
  return {
    tenant: names.word(row.tenant),
    runId: row.runId,
    graph: names.word(row.graph),
    version: names.word(row.version),
    status: names.word(row.status),
    reason: row.reason === null ? null : names.word(row.reason),
    session: row.sessionId,
    key: row.key,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    dueAt: row.dueAt,
    owner: row.owner === null ? null : names.word(row.owner),
  };
}
