import type { Page, RequestQuery, RequestRow } from '@signalbox/ports';
import type { Connection } from './connection.ts';
import { fromCursor, toCursor } from './cursor.ts';
import { NOBODY, toAssigneeIds } from './land-batch.ts';
import type { Names } from './names.ts';
import {
  type FoundRequest,
  type RequestPlace,
  type RequestSlice,
  selectPlaces,
  selectPlacesOfAssignee,
  selectPlacesOfRun,
  selectPlacesOfSession,
  selectRequest,
  selectRequestById,
} from './sql/requests.ts';

const STATUSES: Readonly<Record<RequestRow['status'], true>> = {
  open: true,
  answered: true,
  expired: true,
  withdrawn: true,
  superseded: true,
};
const START: RequestPlace = { at: Number.MIN_SAFE_INTEGER, id: 0 };
const NO_ROWS: Page<never> = { rows: [], next: undefined };

/** Words by id. `assignees` undefined: all; else with nobody among them. */
interface Wanted {
  readonly tenant: number;
  readonly statuses: readonly number[];
  readonly assignees: readonly number[] | undefined;
  readonly after: RequestPlace;
  readonly limit: number;
}

/** First the places of a page's requests, each from an index and cut at the page's length; then their rows. */
export function findRequests(db: Connection, names: Names, query: RequestQuery): Page<RequestRow> {
  const after = query.after === undefined ? START : fromCursor(query.after);
  const { limit = 100 } = query;
  const tenant = names.wordId(query.tenant);
  if (tenant === undefined) return NO_ROWS;
  const statuses = query.status === undefined ? Object.keys(STATUSES) : [query.status];
  const wanted: Wanted = {
    tenant,
    statuses: statuses.flatMap(status => names.wordId(status) ?? []),
    assignees: query.assignees && [NOBODY, ...new Set(query.assignees.flatMap(who => names.wordId(who) ?? []))],
    after,
    limit: limit + 1,
  };
  const places = inOrder(
    query.runId === undefined && query.session === undefined
      ? placesByStatus(db, wanted)
      : placesByRelation(db, names, query, wanted),
  );
  const page = places.slice(0, limit);
  const last = page.at(-1);
  return {
    rows: page.flatMap(({ id }) => db.all(selectRequestById(id))).map(row => toRequestRow(names, row)),
    next: last !== undefined && places.length > limit ? toCursor(last) : undefined,
  };
}

function placesByStatus(db: Connection, { tenant, statuses, assignees, after, limit }: Wanted): RequestPlace[] {
  return statuses.flatMap(status => {
    const slice: RequestSlice = { tenant, status, after, limit };
    if (assignees === undefined) return db.all(selectPlaces(slice));
    return assignees.flatMap(who => db.all(selectPlacesOfAssignee(who, slice)));
  });
}

/** A run or a session has few requests: all of them are looked at. */
function placesByRelation(db: Connection, names: Names, query: RequestQuery, wanted: Wanted): RequestPlace[] {
  const run = query.runId === undefined ? null : names.streamId(query.runId);
  const session = query.session === undefined ? null : names.streamId(query.session);
  if (run === undefined || session === undefined) return [];
  const related =
    run === null
      ? session === null
        ? []
        : db.all(selectPlacesOfSession(session, wanted.tenant))
      : db.all(selectPlacesOfRun(run, wanted.tenant));
  return related.filter(
    row =>
      (session === null || row.session === session) &&
      wanted.statuses.includes(row.status) &&
      isFor(row.assignees, wanted.assignees) &&
      compare(row, wanted.after) > 0,
  );
}

function isFor(assignees: string, wanted: readonly number[] | undefined): boolean {
  if (wanted === undefined || assignees === '') return true;
  return toAssigneeIds(assignees).some(who => wanted.includes(who));
}

/** Oldest first; a request assigned to two of those asked for is found twice. */
function inOrder(places: readonly RequestPlace[]): RequestPlace[] {
  const once = new Map(places.map(place => [place.id, place]));
  return [...once.values()].sort(compare);
}

function compare(a: RequestPlace, b: RequestPlace): number {
  return a.at - b.at || a.id - b.id;
}

export function findRequest(db: Connection, names: Names, requestId: string): RequestRow | undefined {
  const found = db.one(selectRequest(requestId));
  return found && toRequestRow(names, found);
}

function toRequestRow(names: Names, row: FoundRequest): RequestRow {
  return {
    tenant: names.word(row.tenant),
    requestId: row.requestId,
    runId: row.runId,
    session: row.sessionId,
    kind: names.word(row.kind),
    title: row.title,
    status: names.word(row.status) as RequestRow['status'],
    assignees: toAssigneeIds(row.assignees).map(names.word),
    openedAt: row.openedAt,
    deadlineAt: row.deadlineAt,
  };
}
