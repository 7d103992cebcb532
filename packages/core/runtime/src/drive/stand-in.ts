import { hasFurtherAttempt, type Run, SignalboxError, type TaskEnd } from '@signalbox/kernel';
import type { TaskExecution } from '../journal/execution.ts';
import type { TaskDeps } from './driver-deps.ts';
import type { GoodOutput } from './last-good.ts';
import { tellError } from './tell.ts';

export type FailedEnd = Extract<TaskEnd, { type: 'failed' }>;

/** How long other runs are looked at for what stands in, ms: a store that is slow must not keep the failure from being recorded. */
const LOOK_LIMIT_MS = 5_000;

/**
 * Tells the driver how an execution that is closed has failed; where the last good output of another run may stand in for it,
 * with that, or without as soon as it is clear that there is none. Never rejects.
 */
export async function concludeFailed(
  deps: TaskDeps,
  execution: TaskExecution,
  run: Run,
  end: FailedEnd,
): Promise<void> {
  const lastGood = mayStandIn(execution, end) ? await lookOutside(deps, execution, run) : undefined;
  execution.conclude(lastGood === undefined ? end : { ...end, lastGood });
}

/** It would be used: nothing else comes first, neither another attempt nor what this run has of its own. */
function mayStandIn(failed: TaskExecution, end: FailedEnd): boolean {
  const { kind, node, compiled, execution } = failed.task;
  if (kind !== 'node' || execution === undefined || compiled.lastGoodMaxAge === undefined) return false;
  if (execution.fallback !== undefined || failed.token.good[node] !== undefined) return false;
  return !hasFurtherAttempt(compiled, execution, end) && failed.current().status !== 'cancelling';
}

/** Where no other run can be read the node fails as it would without; what went wrong is told. */
async function lookOutside(deps: TaskDeps, { task }: TaskExecution, run: Run): Promise<GoodOutput | undefined> {
  const { clock, lastGood } = deps;
  const limit = new AbortController();
  const isOver = new Promise<never>((_, reject) => {
    limit.signal.addEventListener('abort', () => reject(limit.signal.reason));
  });
  const stop = clock.at(clock.now() + LOOK_LIMIT_MS, () => limit.abort(tooLong(task.node)));
  try {
    return await Promise.race([lastGood?.find(run, task, limit.signal), isOver]);
  } catch (error) {
    tellError(deps, error, { runId: run.id, node: task.node });
    return undefined;
  } finally {
    stop();
  }
}

function tooLong(node: string): SignalboxError {
  return new SignalboxError(
    'Timeout',
    `Looking in other runs for the last good output of "${node}" took longer than ${LOOK_LIMIT_MS} ms.`,
    { hint: 'The node failed as it does where there is none. See whether the store is slow, or cannot be reached.' },
  );
}
