import type { JsonObject, Principal } from '@signalbox/kernel';
import { type Commits, eventsOf } from './commits.ts';

/** One event as programs see it. */
export interface EventRow {
  /** `<stream>.<seq>` */
  readonly id: string;
  readonly seq: number;
  readonly at: string;
  readonly actor: Principal;
  readonly type: string;
  /** Version of the type's data. */
  readonly v: number;
  readonly data: JsonObject;
  /** Outside commands that the commit carries out. */
  readonly commands?: readonly string[];
  /** The request id given at the start of the run. */
  readonly cause?: string;
  readonly trace?: string;
}

export async function* eventRows(commits: Commits): AsyncGenerator<EventRow> {
  for await (const { seq, commit, event } of eventsOf(commits)) {
    const { stream, at, actor, commands, cause, trace } = commit;
    yield {
      id: `${stream}.${seq}`,
      seq,
      at,
      actor,
      type: event.type,
      v: event.v ?? 1,
      data: event.data,
      ...(commands === undefined ? {} : { commands }),
      ...(cause === undefined ? {} : { cause }),
      ...(trace === undefined ? {} : { trace }),
    };
  }
}
