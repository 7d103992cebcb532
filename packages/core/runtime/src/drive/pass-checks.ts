import { CHECK_PREFIX, isJsonObject, type JsonValue, type Run, SignalboxError, stateObject } from '@signalbox/kernel';
import type { TaskExecution } from '../journal/execution.ts';
import { frozen } from '../journal/freeze.ts';
import { PERMANENT } from '../journal/handler.ts';
import { checkOperation } from './check-operation.ts';
import type { Check, CheckVerdict, TaskDeps, TaskHost } from './driver-deps.ts';

/**
 * The chain of checks before a node (design 4.9): asked in order, the first that does not allow decides.
 *  1. What a check said other than `allow` is in the journal, so it is asked once for a visit: an approval holds, and a
 *     node that was paused goes on when the run is resumed.
 *  2. That holds for one handler, input and state: its operation is named after their digest. A new visit, a fallback
 *     and a controller's retry are judged anew; no approval serves twice.
 *  3. What is no verdict denies.
 */
export async function passChecks(deps: TaskDeps, driver: TaskHost, execution: TaskExecution, run: Run): Promise<void> {
  const subject = subjectOf(execution, run);
  for (const check of deps.checks) {
    const point = `${CHECK_PREFIX}${check.name}`;
    const names = checkOperation(run, check.name, subject, execution.secrets);
    const op = names.before !== undefined && names.before === check.recordedAs ? names.before : names.op;
    const before = execution.resumed(op) ?? (names.before && execution.resumed(names.before));
    if (before !== undefined) passAgain(check, await before);
    else await pass({ check, point, op, said: await check.before(subject) }, driver, execution);
  }
}

/** The node that is about to run: the fallback's where one stands in. */
function subjectOf({ task }: TaskExecution, run: Run): Parameters<Check['before']>[0] {
  const { visit, attempt, compiled } = task;
  return {
    runId: run.id,
    graph: run.graph,
    node: compiled.name,
    type: compiled.definition.type,
    visit,
    attempt,
    input: frozen(task.execution?.input ?? null),
    state: frozen(stateObject(task.execution?.state ?? {})),
  };
}

interface Verdict {
  readonly check: Check;
  readonly point: string;
  readonly op: string;
  readonly said: CheckVerdict;
}

async function pass({ check, point, op, said }: Verdict, driver: TaskHost, execution: TaskExecution): Promise<void> {
  const decided = (chosen: string, reason: string) =>
    execution.decide(
      point,
      { chosen, options: ['allow', 'pause', 'deny', 'ask'], reason, decidedBy: `service:${check.name}` },
      op,
    );
  switch (said?.verdict) {
    case 'allow':
      return;
    case 'deny':
      decided('deny', said.reason);
      throw denied(`Check "${check.name}" denied node "${execution.task.compiled.name}": ${said.reason}`);
    case 'pause':
      decided('pause', said.reason);
      await driver.submit({ type: 'pause', reason: said.reason }, { kind: 'service', id: check.name });
      return await execution.hold();
    case 'ask': {
      const { title, message, assignees } = said;
      const answer = await execution.ask(op, {
        kind: 'confirmation',
        title,
        gap: 'approval',
        ...(message === undefined ? {} : { message }),
        ...(assignees === undefined ? {} : { assignees }),
      });
      return passAgain(check, answer);
    }
    default: {
      const reason = 'It gave no verdict.';
      decided('deny', reason);
      throw denied(`Check "${check.name}" denied node "${execution.task.compiled.name}": ${reason}`);
    }
  }
}

/** What the journal holds of a check: the answer to its question, or `pause`, which is over when the node is here again. */
function passAgain(check: Check, recorded: JsonValue): void {
  if (recorded === 'pause') return;
  const action = isJsonObject(recorded) ? recorded.action : recorded;
  if (action !== 'approve') throw denied(`What check "${check.name}" asked was answered with ${String(action)}.`);
}

function denied(message: string): Error {
  return Object.assign(new SignalboxError('Denied', message), { [PERMANENT]: true });
}
