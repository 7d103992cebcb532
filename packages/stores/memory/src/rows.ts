import type { DueQuery, DueRun, Page, RequestQuery, RequestRow, RunQuery, RunRow } from '@signalbox/ports';
import type { MemoryData } from './memory-data.ts';
import { toPage } from './page.ts';

export function findRuns(data: MemoryData, query: RunQuery): Page<RunRow> {
  const { tenant, status, graph, session } = query;
  const found = [...data.runs.values()].filter(
    row =>
      row.tenant === tenant &&
      (status === undefined || status.includes(row.status)) &&
      (graph === undefined || row.graph === graph) &&
      (session === undefined || row.session === session),
  );
  const page = toPage(found, row => ({ at: row.createdAt, id: row.runId }), -1, query);
  return { ...page, rows: page.rows.map(row => ({ ...row })) };
}

export function findRequests(data: MemoryData, query: RequestQuery): Page<RequestRow> {
  const { tenant, status, runId, session, assignees } = query;
  const found = [...data.requests.values()].filter(
    row =>
      row.tenant === tenant &&
      (status === undefined || row.status === status) &&
      (runId === undefined || row.runId === runId) &&
      (session === undefined || row.session === session) &&
      (assignees === undefined || row.assignees.length === 0 || row.assignees.some(who => assignees.includes(who))),
  );
  const page = toPage(found, row => ({ at: row.openedAt, id: row.requestId }), 1, query);
  return { ...page, rows: page.rows.map(copyRequest) };
}

export function copyRequest(row: RequestRow): RequestRow {
  return { ...row, assignees: [...row.assignees] };
}

export function findDue(data: MemoryData, query: DueQuery): DueRun[] {
  const { now, after, runId, limit } = query;
  const found: DueRun[] = [];
  for (const row of dueRows(data)) {
    if (row.dueAt > now || !mayTry(data, row.owner, query)) continue;
    if (runId !== undefined && row.runId !== runId) continue;
    if (after === undefined || byDueTime(row, after) > 0)
      found.push({ runId: row.runId, dueAt: row.dueAt, owner: row.owner });
  }
  return found.sort(byDueTime).slice(0, limit);
}

type DuePlace = Pick<DueRun, 'runId' | 'dueAt'>;

function byDueTime(one: DuePlace, other: DuePlace): number {
  return one.dueAt - other.dueAt || (one.runId < other.runId ? -1 : Number(one.runId > other.runId));
}

export function findNextDue(data: MemoryData, now: number): number | undefined {
  let next: number | undefined;
  for (const { dueAt } of dueRows(data)) if (dueAt > now && (next === undefined || dueAt < next)) next = dueAt;
  return next;
}

function* dueRows(data: MemoryData): Generator<RunRow & { readonly dueAt: number }> {
  for (const runId of data.dueRuns) {
    const row = data.runs.get(runId);
    if (row !== undefined && row.dueAt !== null) yield row as RunRow & { readonly dueAt: number };
  }
}

function mayTry(data: MemoryData, holder: string | null, query: { now: number; owner: string }): boolean {
  return holder === null || holder === query.owner || (data.leases.get(holder) ?? 0) <= query.now;
}
