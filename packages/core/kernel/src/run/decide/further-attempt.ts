import type { ErrorData } from '../../event/run-event.ts';
import type { CompiledNode } from '../../graph/program.ts';
import type { NodeExecution } from '../node-execution.ts';

/** How a node failed; `retry: false` where it is not to be tried again, whatever its policy says. */
export interface Failure {
  readonly error: ErrorData;
  readonly retry?: boolean;
}

/** Whether another attempt of the node follows by its `retry`, before anything stands in for it. What stands in has one alone. */
export function hasFurtherAttempt(
  { retry: policy }: Pick<CompiledNode, 'retry'>,
  { attempt, fallback }: Pick<NodeExecution, 'attempt' | 'fallback'>,
  { error, retry }: Failure,
): boolean {
  if (policy === undefined || retry === false || fallback !== undefined) return false;
  if (error.permanent === true || attempt >= policy.attempts) return false;
  return policy.on === undefined || policy.on.has(error.code);
}
