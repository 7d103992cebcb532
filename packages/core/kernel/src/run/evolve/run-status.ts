import type { Mutable } from '../draft.ts';
import type { Run, RunStatus } from '../run.ts';

/** Time counts as executing while the run is at work. */
export function setStatus(run: Mutable<Run>, status: RunStatus): void {
  const executes = status === 'running' || status === 'cancelling' || status === 'compensating';
  if (!executes && run.executingSince !== undefined) {
    run.executed += run.at - run.executingSince;
    run.executingSince = undefined;
  }
  if (executes && run.executingSince === undefined) run.executingSince = run.at;
  run.status = status;
  run.suspend = undefined;
}

/** Nobody was at work meanwhile. */
export function passOver(run: Mutable<Run>, idle = 0): void {
  if (run.executingSince !== undefined) run.executingSince += idle;
}

export function standAsNotEnded(run: Mutable<Run>): void {
  run.endedAt = undefined;
  run.error = undefined;
  run.output = undefined;
  run.completion = undefined;
}
