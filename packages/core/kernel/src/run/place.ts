import type { JsonObject } from '../json/value.ts';
import type { Run } from './run.ts';

/**
 * Where a run stands that takes its turn in a session: only one that holds the session's place executes.
 * `queued`: something of it could go on. Absent of a run that takes no turns.
 */
export type Place = 'free' | 'queued' | 'held';

/** What a run knows of its session, as of an event of the session's stream. */
export interface SessionView {
  readonly seq: number;
  readonly state: JsonObject;
  readonly metadata: JsonObject;
}

/** What comes to the run now is recorded, and drives nothing before its turn. */
export function lacksPlace(run: Run): boolean {
  return run.place !== undefined && run.place !== 'held';
}
