import { type ErrorData, parseDuration, type Run, SignalboxError, type Task, type TaskEnd } from '@signalbox/kernel';
import { createContext } from '../journal/context.ts';
import { errorDataOf } from '../journal/error-data.ts';
import { TaskExecution } from '../journal/execution.ts';
import { recorded } from '../journal/freeze.ts';
import { type Handler, isMarkedResult, type MarkedResult, RESULT } from '../journal/handler.ts';
import type { DriverDeps, TaskHost } from './driver-deps.ts';
import { CHECK_PREFIX, passChecks } from './pass-checks.ts';

/** Begins one execution of a task's handler; it reports its end to the driver by itself. */
export function runTask(deps: DriverDeps, driver: TaskHost, task: Task, run: Run): TaskExecution {
  const execution = new TaskExecution(driver, task, run);
  void execute(deps, driver, execution, run);
  return execution;
}

async function execute(deps: DriverDeps, driver: TaskHost, execution: TaskExecution, run: Run): Promise<void> {
  const { task } = execution;
  const stopTimeout = startTimeout(deps, execution);
  let end: TaskEnd;
  let handler: Handler | undefined;
  let context: object | undefined;
  try {
    handler = deps.handler(task.handler.handler);
    if (handler === undefined)
      throw new SignalboxError('HandlerMissing', `This process has no handler "${task.handler.handler}".`);
    context = createContext(execution, run, deps.codec, settingsOf(handler, task));
    if (task.kind === 'node' && deps.checks.length > 0) await passChecks(deps, driver, execution, run);
    if (task.kind === 'node' && execution.isFresh(CHECK_PREFIX)) await handler.onEnter?.(context as never);
    end = endOf(execution, await handler.execute(context as never));
  } catch (thrown) {
    end = { type: 'failed', error: errorDataOf(thrown) };
  }
  stopTimeout?.();
  if (execution.over) return;
  execution.end(end);
  if (handler?.afterNode !== undefined && context !== undefined)
    await observe(deps, handler, context, execution, run, end);
}

async function observe(
  deps: DriverDeps,
  handler: Handler,
  context: object,
  execution: TaskExecution,
  run: Run,
  end: TaskEnd,
): Promise<void> {
  try {
    await handler.afterNode?.(context as never, {
      ...('output' in end ? { output: end.output } : {}),
      ...('error' in end ? { error: end.error } : {}),
    });
  } catch (error) {
    deps.observer.onError?.(error, { runId: run.id, node: execution.task.node });
  }
}

function settingsOf(handler: Handler, task: Task) {
  const raw = task.handler.with ?? {};
  if (handler.settings === undefined) return raw;
  const result = handler.settings.validate(raw);
  if (result.ok) return result.value;
  const told = result.issues.map(issue => `${issue.pointer || '/'}: ${issue.message}`).join('; ');
  throw new SignalboxError('InvalidSettings', `The settings of "${task.node}" do not fit its type: ${told}`);
}

function startTimeout({ clock }: DriverDeps, execution: TaskExecution): (() => void) | undefined {
  const { timeout } = execution.task.compiled;
  if (timeout === undefined || execution.task.kind === 'compensation') return undefined;
  const stop = clock.at(clock.now() + timeout, () => {
    const error: ErrorData = {
      code: 'Timeout',
      message: `Node "${execution.task.node}" executed longer than ${timeout} ms.`,
    };
    execution.end({ type: 'failed', error });
    execution.abort.abort(new SignalboxError('Timeout', error.message));
  });
  execution.abort.signal.addEventListener('abort', stop);
  return stop;
}

/** Turns what a handler returned into the end of its task. */
function endOf(execution: TaskExecution, returned: unknown): TaskEnd {
  if (isMarkedResult(returned)) return markedEnd(execution, returned);
  return {
    type: 'success',
    output: recorded(returned, `The output of "${execution.task.node}"`),
    updates: execution.updates,
  };
}

function markedEnd(execution: TaskExecution, result: MarkedResult): TaskEnd {
  const { node, compiled } = execution.task;
  switch (result[RESULT]) {
    case 'next': {
      const declared = compiled.definition.next ?? [];
      const to = result.to ?? '';
      if (!declared.includes(to)) {
        const error = {
          code: 'WishNotDeclared',
          message: `"${node}" wished for "${to}", which its \`next\` does not list (${declared.join(', ')}).`,
          permanent: true,
        };
        return { type: 'failed', error };
      }
      const { reason, confidence, options = declared } = result;
      const wish = {
        to,
        options,
        ...(reason === undefined ? {} : { reason }),
        ...(confidence === undefined ? {} : { confidence }),
      };
      return {
        type: 'success',
        output: recorded(result.output, `The output of "${node}"`),
        updates: execution.updates,
        wish,
      };
    }
    case 'failed': {
      const { code = 'Failed', message = `"${node}" failed.`, permanent, retry } = result;
      return {
        type: 'failed',
        error: { code, message, ...(permanent === undefined ? {} : { permanent }) },
        retry: retry ?? false,
      };
    }
    case 'skipped':
      return { type: 'skipped', ...(result.reason === undefined ? {} : { reason: result.reason }) };
    case 'retry':
      return {
        type: 'retry',
        ...(result.after === undefined ? {} : { after: parseDuration(result.after) }),
        ...(result.reason === undefined ? {} : { reason: result.reason }),
      };
  }
}
