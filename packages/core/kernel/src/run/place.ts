/**
 * Where a run stands that takes its turn in a session: only one that holds the session's place executes.
 * `queued`: something of it could go on. Absent of a run that takes no turns.
 */
export type Place = 'free' | 'queued' | 'held';

/** What comes to the run now is recorded, and drives nothing before its turn. */
export function lacksPlace({ place }: { readonly place: Place | undefined }): boolean {
  return place !== undefined && place !== 'held';
}
