import type { Host } from '@signalbox/ports';

export interface ChosenRunsHost extends Host {
  /** From now on this run is driven here; what was wished for it before is handed on. */
  choose(runId: string): void;
}

/**
 * A host that drives the chosen runs alone: a short-lived command goes on with the run it was called for and leaves
 * everybody else's where they are, though the engine finds all that is due.
 */
export function chosenRunsHost(inner: Host): ChosenRunsHost {
  const chosen = new Set<string>();
  const wished = new Map<string, number>();
  return {
    choose(runId) {
      chosen.add(runId);
      const at = wished.get(runId);
      wished.delete(runId);
      if (at !== undefined) inner.schedule(runId, at);
    },
    schedule(runId, at) {
      if (chosen.has(runId)) inner.schedule(runId, at);
      else wished.set(runId, Math.min(at, wished.get(runId) ?? at));
    },
    onDue: fn => inner.onDue(fn),
    stop: () => inner.stop(),
  };
}
