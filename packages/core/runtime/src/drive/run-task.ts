import {
  CHECK_PREFIX,
  type ErrorData,
  type HandlerReference,
  type Run,
  SignalboxError,
  type Task,
  type TaskEnd,
} from '@signalbox/kernel';
import { createContext } from '../journal/context.ts';
import { errorDataOf } from '../journal/error-data.ts';
import { TaskExecution } from '../journal/execution.ts';
import type { Handler } from '../journal/handler.ts';
import { insideRun } from '../session/inside-run.ts';
import type { TaskDeps, TaskHost } from './driver-deps.ts';
import { passChecks } from './pass-checks.ts';
import { concludeFailed, type FailedEnd } from './stand-in.ts';
import { toTaskEnd } from './task-end.ts';
import { tellError } from './tell.ts';

/** Begins one execution of a task's handler; it reports its end to the driver by itself. */
export function runTask(deps: TaskDeps, driver: TaskHost, task: Task, run: Run): TaskExecution {
  const execution = new TaskExecution(driver, task, run);
  execute(deps, driver, execution, run).catch(error => {
    execution.end({ type: 'failed', error: errorDataOf(error) });
    tellError(deps, error, { runId: run.id, node: task.node });
  });
  return execution;
}

async function execute(deps: TaskDeps, driver: TaskHost, execution: TaskExecution, run: Run): Promise<void> {
  const { task } = execution;
  if (task.kind === 'recall') return await lookIntoMemory(deps, execution, run);
  if (task.handler === undefined) return await askChecks(deps, driver, execution, run);
  const stopTimeout = startTimeout(deps, execution, run);
  let end: TaskEnd;
  let handler: Handler | undefined;
  let context: object | undefined;
  try {
    handler = findHandler(deps, task.handler);
    context = createContext(execution, run, deps, settingsOf(handler, task, task.handler));
    if (task.kind === 'node' && deps.checks.length > 0) await passChecks(deps, driver, execution, run);
    execution.passed();
    if (task.kind === 'node' && execution.isFresh(CHECK_PREFIX)) await handler.onEnter?.(context as never);
    end = toTaskEnd(task, execution.updates, await calledBy(task, run, handler, context));
    if (end.type === 'success') end = { ...end, ...besides(execution) };
  } catch (thrown) {
    end = { type: 'failed', error: errorDataOf(thrown) };
  }
  const underWay = execution.settled();
  if (underWay !== undefined) await underWay;
  stopTimeout();
  if (execution.over) return;
  if (end.type !== 'failed') execution.end(end);
  else if (execution.close(end)) await concludeFailed(deps, execution, run, end);
  if (handler?.afterNode !== undefined && context !== undefined)
    await observe(deps, handler, context, execution, run, end);
}

/** What a success brings beside its output. */
function besides({ told, undo }: TaskExecution) {
  return { ...(told === undefined ? {} : { session: told }), ...(undo === undefined ? {} : { undo }) };
}

/** The kernel runs the node itself once the checks have let it pass. */
async function askChecks(deps: TaskDeps, driver: TaskHost, execution: TaskExecution, run: Run): Promise<void> {
  let end: TaskEnd = { type: 'passed' };
  try {
    await passChecks(deps, driver, execution, run);
  } catch (thrown) {
    end = { type: 'failed', error: errorDataOf(thrown) };
  }
  execution.end(end);
}

function findHandler(deps: TaskDeps, { handler: key }: HandlerReference): Handler {
  const handler = deps.handler(key);
  if (handler === undefined) throw new SignalboxError('HandlerMissing', `This process has no handler "${key}".`);
  return handler;
}

/** Memory is looked at before a node asks. */
async function lookIntoMemory({ recall }: TaskDeps, execution: TaskExecution, run: Run): Promise<void> {
  const entry = await recall?.find(run, execution.task);
  execution.end(entry === undefined ? { type: 'recalled' } : { type: 'recalled', entry });
}

/** What is started inside a run of a session does not wait for that run's turn to be over. */
function calledBy(task: Task, { id, session }: Run, handler: Handler, context: object): unknown {
  const call = () => (undoesItself(task) ? handler.undo?.(context as never) : handler.execute(context as never));
  if (session === undefined) return call();
  return insideRun({ run: id, session }, call);
}

/** A node without a compensation of its own is undone by the handler that did it. */
function undoesItself({ kind, handler, compiled }: Task): boolean {
  return kind === 'compensation' && handler === compiled.handler;
}

async function observe(
  deps: TaskDeps,
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
    tellError(deps, error, { runId: run.id, node: execution.task.node });
  }
}

function settingsOf(handler: Handler, task: Task, reference: HandlerReference) {
  const raw = reference.with ?? {};
  if (handler.settings === undefined) return raw;
  const result = handler.settings.validate(raw);
  if (result.ok) return result.value;
  const told = result.issues.map(issue => `${issue.pointer || '/'}: ${issue.message}`).join('; ');
  throw new SignalboxError('InvalidSettings', `The settings of "${task.node}" do not fit its type: ${told}`);
}

/** Executing time of a compensation whose node names no limit, ms: one that never ends must not hold the run for good. */
const COMPENSATION_TIMEOUT_MS = 5 * 60_000;

const noTimer = () => {};

/** What a node executed before it last waited counts; what a compensation did at an earlier attempt does not. */
function startTimeout(deps: TaskDeps, execution: TaskExecution, run: Run): () => void {
  const { clock } = deps;
  const { kind, node, compiled, execution: before } = execution.task;
  const timeout = compiled.timeout ?? (kind === 'compensation' ? COMPENSATION_TIMEOUT_MS : undefined);
  if (timeout === undefined) return noTimer;
  const left = kind === 'compensation' ? timeout : Math.max(0, timeout - (before?.executed ?? 0));
  const stop = clock.at(clock.now() + left, () => {
    const what = kind === 'compensation' ? `The compensation of "${node}"` : `Node "${node}"`;
    const error: ErrorData = { code: 'Timeout', message: `${what} executed longer than ${timeout} ms.` };
    const end: FailedEnd = { type: 'failed', error };
    // Whatever is looked for outside, the handler has had its time.
    const isClosed = execution.close(end);
    execution.abort.abort(new SignalboxError('Timeout', error.message));
    if (isClosed) void concludeFailed(deps, execution, run, end);
  });
  execution.abort.signal.addEventListener('abort', stop);
  return stop;
}
