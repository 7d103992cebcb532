import type { Run, RunEvent } from '@signalbox/kernel';
import type { DriverDeps } from './driver-deps.ts';

/** An observer that throws must not undo what is committed. */
export function tellCommit(deps: DriverDeps, run: Run, events: readonly RunEvent[]): void {
  try {
    deps.observer.committed?.(run, events);
  } catch (error) {
    tellError(deps, error, { runId: run.id });
  }
}

/** One that throws when it is told of an error has nobody left to be told. */
export function tellError(
  deps: DriverDeps,
  error: unknown,
  where: { readonly runId: string; readonly node?: string },
): void {
  try {
    deps.observer.onError?.(error, where);
  } catch {}
}
