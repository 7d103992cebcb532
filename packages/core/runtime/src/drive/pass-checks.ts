import { isJsonObject, type JsonValue, type Run, SignalboxError, stateObject } from '@signalbox/kernel';
import type { TaskExecution } from '../journal/execution.ts';
import { frozen } from '../journal/freeze.ts';
import { PERMANENT } from '../journal/handler.ts';
import type { Check, CheckVerdict, DriverDeps, TaskHost } from './driver-deps.ts';

/** What the operations of checks are called; a handler's own are not among them. */
export const CHECK_PREFIX = 'check:';

/**
 * The chain of checks before a node (design 4.9): asked in order, the first that does not allow decides.
 * What a check said other than `allow` is in the journal, so it is asked once for a visit: an approval holds, and a node
 * that was paused goes on when the run is resumed.
 */
export async function passChecks(
  deps: DriverDeps,
  driver: TaskHost,
  execution: TaskExecution,
  run: Run,
): Promise<void> {
  for (const check of deps.checks) {
    const before = execution.resumed(`${CHECK_PREFIX}${check.name}`);
    if (before !== undefined) passAgain(check, await before);
    else await pass(check, await check.before(subjectOf(execution, run)), driver, execution);
  }
}

function subjectOf({ task }: TaskExecution, run: Run): Parameters<Check['before']>[0] {
  const { node, visit, attempt } = task;
  return {
    runId: run.id,
    graph: run.graph,
    node,
    visit,
    attempt,
    input: frozen(task.execution?.input ?? null),
    state: frozen(stateObject(task.execution?.state ?? {})),
  };
}

async function pass(check: Check, said: CheckVerdict, driver: TaskHost, execution: TaskExecution): Promise<void> {
  const point = `${CHECK_PREFIX}${check.name}`;
  const decided = (reason: string) =>
    execution.decide(point, {
      chosen: said.verdict,
      options: ['allow', 'pause', 'deny', 'ask'],
      reason,
      decidedBy: `service:${check.name}`,
    });
  switch (said.verdict) {
    case 'allow':
      return;
    case 'deny':
      decided(said.reason);
      throw denied(`Check "${check.name}" denied node "${execution.task.node}": ${said.reason}`);
    case 'pause':
      decided(said.reason);
      await driver.submit({ type: 'pause', reason: said.reason }, { kind: 'service', id: check.name });
      return await execution.hold();
    case 'ask': {
      const { title, message, assignees } = said;
      const answer = await execution.ask(point, {
        kind: 'confirmation',
        title,
        gap: 'approval',
        ...(message === undefined ? {} : { message }),
        ...(assignees === undefined ? {} : { assignees }),
      });
      passAgain(check, answer);
    }
  }
}

/** What the journal holds of a check: the answer to its question, or `pause`, which is over when the node is here again. */
function passAgain(check: Check, recorded: JsonValue): void {
  if (!isJsonObject(recorded)) return;
  if (recorded.action !== 'approve')
    throw denied(`What check "${check.name}" asked was answered with ${String(recorded.action)}.`);
}

function denied(message: string): Error {
  return Object.assign(new SignalboxError('Denied', message), { [PERMANENT]: true });
}
