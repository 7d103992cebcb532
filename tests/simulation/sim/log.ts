import { applyEvent, type Commit, commitMillis, Draft, initialState, type Run, type RunEvent } from '@signalbox/kernel';
import { openCommit } from '@signalbox/runtime';
import type { MemoryData } from '@signalbox/store-memory';

/** The log of a run as it lies in the store, past every fault; `from` counts commits. */
export function commitsOf(data: MemoryData, runId: string, from = 0): Commit[] {
  return (data.streams.get(runId) ?? []).slice(from).map(openCommit);
}

export interface Fact {
  readonly seq: number;
  readonly event: RunEvent;
  /** Rollbacks before it: what is done again after one has keys of its own. */
  readonly generation: number;
}

export function factsOf(commits: readonly Commit[]): Fact[] {
  let generation = 0;
  return commits.flatMap(({ firstSeq, events }) =>
    events.map((event, index) => {
      if (event.type === 'run.rolledBack') generation += 1;
      return { seq: firstSeq + index, event: event as RunEvent, generation };
    }),
  );
}

/** Folds commits onto a run, up to a sequence number. */
export function foldOn(run: Run, commits: readonly Commit[], until = Number.POSITIVE_INFINITY): Run {
  const draft = new Draft(run);
  for (const { at, firstSeq, events } of commits) {
    if (firstSeq > until) break;
    let begun = false;
    for (const [index, event] of events.entries()) {
      const seq = firstSeq + index;
      if (seq > until || seq <= draft.run.seq) continue;
      if (!begun) draft.run.at = Math.max(draft.run.at, commitMillis(at));
      begun = true;
      applyEvent(draft, event);
    }
    if (draft.run.seq === firstSeq + events.length - 1) draft.endCommit();
  }
  return draft.run;
}

export function foldAll(commits: readonly Commit[], until?: number): Run {
  return foldOn(initialState(), commits, until);
}
