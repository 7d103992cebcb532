import type { Commit } from '@signalbox/kernel';

/**
 * The point at or before `at` at which a run can be cut. What one decision wrote belongs together: between a node's
 * success and its route nothing stands by itself. So a cut falls on the end of a commit, or right before a node starts.
 */
export function wholeDecisions(commits: readonly Commit[], at: number): number {
  const commit = commits.find(({ firstSeq, events }) => firstSeq <= at && at < firstSeq + events.length);
  if (commit === undefined) return at;
  const last = commit.firstSeq + commit.events.length - 1;
  if (at === last) return at;
  for (let seq = at; seq >= commit.firstSeq; seq -= 1) {
    const next = commit.events[seq + 1 - commit.firstSeq];
    if (next?.type === 'node.started') return seq;
  }
  return Math.max(1, commit.firstSeq - 1);
}
