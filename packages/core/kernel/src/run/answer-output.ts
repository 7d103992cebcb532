import type { AnswerEntry } from '../event/run-event.ts';
import type { JsonObject } from '../json/value.ts';

/** What an asking node or handler gets: `{ action, values, note, by, at }`, and with a quorum `endorsedBy`. */
export function answerOutput(entry: AnswerEntry): JsonObject {
  return {
    action: entry.action,
    values: entry.values ?? {},
    note: entry.note ?? null,
    by: { ...entry.by },
    at: entry.at,
    ...(entry.endorsedBy === undefined ? {} : { endorsedBy: entry.endorsedBy.map(by => ({ ...by })) }),
  };
}
