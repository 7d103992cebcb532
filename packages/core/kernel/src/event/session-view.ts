import type { JsonObject } from '../json/value.ts';

/** What a run knows of its session, as of an event of the session's stream. */
export interface SessionView {
  readonly seq: number;
  readonly state: JsonObject;
  readonly metadata: JsonObject;
}
