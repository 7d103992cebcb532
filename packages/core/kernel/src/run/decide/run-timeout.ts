import type { ErrorData } from '../../event/run-event.ts';
import type { Program } from '../../graph/program.ts';
import type { RequestState } from '../request-state.ts';
import type { Run } from '../run.ts';
import { cancelNode } from './cancel-token.ts';
import { type Decider, errorData, lastNodes, refOf } from './decider.ts';
import { isExecuting } from './executing.ts';
import { openLimitQuestion } from './limit-question.ts';
import { COUNTS_NO_DOWNTIME } from './semantics.ts';

/** The question of the run's own timeout; it stands at no node. */
export const TIMEOUT_OP = 'limit:timeout';
const RUN_REF = { token: '', node: '', visit: 0 };

/** When the run will have executed for too long, epoch ms, should it go on as now; undefined where nothing counts. */
export function timeoutAt(program: Program, run: Run): number | undefined {
  const limits = program.graphs.get('')?.limits;
  if (limits?.timeout === undefined || run.executingSince === undefined || run.status !== 'running') return undefined;
  if (limits.question !== undefined && timeoutQuestion(run) !== undefined) return undefined;
  return run.executingSince + limits.timeout - run.executed;
}

/**
 * How long nobody is known to have been at work on a run that was to execute by then: since its last event, where its driver
 * died, was stopped or lost sight of it.
 */
export function idleTime({ run, at }: Decider, lastAt: number): { readonly idle?: number } {
  const { executingSince, semantics } = run;
  const wasToExecute = executingSince !== undefined && executingSince <= lastAt;
  return wasToExecute && semantics >= COUNTS_NO_DOWNTIME && at > lastAt ? { idle: at - lastAt } : {};
}

function timeoutQuestion(run: Run): RequestState | undefined {
  for (const request of run.requests.values()) if (request.op === TIMEOUT_OP) return request;
  return undefined;
}

/**
 * Where a person is asked, nothing starts until they have said; what is at work ends meanwhile, as in a pause. Else it
 * fails at once.
 */
export function timeOut(d: Decider): void {
  const { timeout: value, question } = d.program.graphs.get('')!.limits;
  if (value === undefined) return;
  d.emit('limit.reached', { ...RUN_REF, limit: 'timeout', value });
  if (question === undefined || d.run.decisions !== 'on') return failAtTimeout(d);
  const { nodes } = workOf(d);
  const reached = d.run.executed + (d.at - (d.run.executingSince ?? d.at));
  openLimitQuestion(d, RUN_REF, {
    question,
    limit: 'timeout',
    what: `Limit timeout = ${value} ms of executing time`,
    context: { limit: 'timeout', value, reached, nodes },
    hold: 'run',
  });
}

export function extendTimeout(d: Decider, request: RequestState): void {
  const value = d.program.graphs.get('')?.limits.timeout;
  if (value !== undefined) d.emit('limit.extended', { ...RUN_REF, limit: 'timeout', value, request: request.id });
}

/** A run that ends needs no word on its time any more. */
export function closeTimeoutQuestion(d: Decider, reason: 'superseded' | 'failed'): void {
  const question = timeoutQuestion(d.run);
  if (question !== undefined) d.emit('request.withdrawn', { request: question.id, reason });
}

/** What is at work fails, and the root with it; the rest is parked, so a retry takes everything up where it stood. */
export function failAtTimeout(d: Decider): void {
  const { error } = workOf(d);
  for (const token of [...d.run.tokens.values()]) {
    const { at } = token;
    if (token.id === '' || at.kind !== 'node' || !isExecuting(token)) continue;
    const ref = { token: token.id, node: at.node, visit: at.visit };
    cancelNode(d, ref, 'failed', { keepToken: true });
    d.emit('node.failed', { ...ref, error, attempt: at.attempt });
  }
  const { at } = d.token('');
  if (at.kind === 'failed') return;
  if (at.kind !== 'node') return d.emit('token.ended', { token: '', status: 'failed', error });
  const ref = refOf({ token: '', ...at });
  cancelNode(d, ref, 'failed', { keepToken: true });
  d.emit('node.failed', { ...ref, error, attempt: at.attempt });
}

function workOf(d: Decider): { readonly nodes: ErrorNodes; readonly error: ErrorData } {
  const value = d.program.graphs.get('')?.limits.timeout ?? 0;
  const nodes = [...d.run.tokens.values()].filter(isExecuting).flatMap(token => lastNodes(token).slice(-1));
  const message = `Limit timeout = ${value} ms of executing time is reached; at work: ${nodes.join(', ')}.`;
  const error = errorData('LimitReached', message, { permanent: true, details: { limit: 'timeout', value, nodes } });
  return { nodes, error };
}

type ErrorNodes = ReturnType<typeof lastNodes>;
