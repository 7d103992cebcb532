import type { Principal } from '../event/commit.ts';
import { isSamePerson } from '../event/principal.ts';
import type { AnswerEntry } from '../event/run-event.ts';
import type { JsonObject } from '../json/value.ts';

/**
 * What partial approvals come to: a projection over those that stand (an edit voided the ones before it).
 *  1. All of them approve the same values; whoever wants others makes an edit.
 *  2. No person counts twice, whoever they act as or for.
 */
export function standingValues(endorsements: readonly AnswerEntry[] = []): JsonObject | undefined {
  return endorsements.at(-1)?.values;
}

export function hasEndorsed(endorsements: readonly AnswerEntry[] = [], person: Principal): boolean {
  return endorsements.some(({ by }) => isSamePerson(by, person));
}

/** How many are lacking; 0: the quorum is met. */
export function lacking(quorum: number, endorsements: readonly AnswerEntry[] = []): number {
  return Math.max(0, quorum - endorsements.length);
}

/** The one acceptance that a met quorum is: the values that stand, given by the last, on the word of all. */
export function acceptanceOf(endorsements: readonly AnswerEntry[]): AnswerEntry | undefined {
  const last = endorsements.at(-1);
  if (last === undefined) return undefined;
  const isEdit = endorsements.some(({ action }) => action === 'edit');
  const { note, values = {}, by, at } = last;
  return {
    action: isEdit ? 'edit' : 'approve',
    values,
    ...(note === undefined ? {} : { note }),
    by,
    at,
    endorsedBy: endorsements.map(endorsement => endorsement.by),
  };
}
