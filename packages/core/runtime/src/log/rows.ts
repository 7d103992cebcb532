import { findRequest, nextTick, type Program, type RequestState, type Run, requestOf } from '@signalbox/kernel';
import type { RequestRow, RunRow } from '@signalbox/ports';

/** The one row of a run. It changes with the run's status, owner and next due time only. */
export function runRow(run: Run, dueAt: number | null): RunRow {
  return {
    tenant: run.tenant,
    runId: run.id,
    graph: run.graph,
    version: run.version,
    status: run.status,
    reason: runReason(run),
    session: run.session ?? null,
    key: run.key ?? null,
    createdAt: run.startedAt,
    updatedAt: run.at,
    dueAt,
    owner: run.owner ?? null,
  };
}

/** A run at work is due since it began to work, and one that waits for its turn since it does: whoever sweeps finds it. */
export function dueTime(run: Run, program: Program): number | null {
  if (run.place === 'queued') return run.queuedAt ?? run.at;
  if (run.status === 'running' || run.status === 'cancelling' || run.status === 'compensating')
    return run.executingSince ?? run.at;
  return nextTick(program, run) ?? null;
}

/** Why the run is in its status: what it waits for, the code it failed with, how it was completed. */
export function runReason(run: Run): string | null {
  if (run.place === 'queued') return 'session';
  return run.suspend?.reason ?? run.error?.code ?? run.completion ?? null;
}

export function requestRow(program: Program, run: Run, request: RequestState): RequestRow {
  return {
    tenant: run.tenant,
    requestId: request.id,
    runId: run.id,
    session: run.session ?? null,
    kind: request.status === 'open' ? requestOf(program, run, request).definition.kind : (request.kind ?? 'form'),
    title: request.title,
    status: request.status,
    assignees: request.assignees,
    openedAt: request.openedAt,
    deadlineAt: request.deadline ?? null,
  };
}

/** Rows of the requests that these events opened, moved or closed. */
export function requestRows(program: Program, run: Run, ids: Iterable<string>): RequestRow[] {
  const rows: RequestRow[] = [];
  for (const id of ids) {
    const request = findRequest(run, id);
    if (request !== undefined) rows.push(requestRow(program, run, request));
  }
  return rows;
}
