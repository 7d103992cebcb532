import type { Run } from '@signalbox/kernel';
import type { Committed, DriverDeps } from './driver-deps.ts';

/** An observer that throws must not undo what is committed. */
export function tellCommit(deps: Pick<DriverDeps, 'observer'>, commit: Committed, run: Run): void {
  try {
    deps.observer.committed?.(commit, run);
  } catch (error) {
    tellError(deps, error, { runId: run.id });
  }
}

/** One that throws when it is told of an error has nobody left to be told. */
export function tellError(
  deps: Pick<DriverDeps, 'observer'>,
  error: unknown,
  where: { readonly runId: string; readonly node?: string },
): void {
  try {
    deps.observer.onError?.(error, where);
  } catch {}
}

/** Partial text is no part of what is done. */
export function tellText(
  { observer }: Pick<DriverDeps, 'observer'>,
  where: { readonly runId: string; readonly node: string },
  delta: string,
): void {
  try {
    observer.text?.(where, delta);
  } catch (error) {
    tellError({ observer }, error, where);
  }
}
