import type { ErrorData } from '../../event/run-event.ts';
import type { JsonValue } from '../../json/value.ts';
import { isBlocked, isHeldByQuestion } from '../held-back.ts';
import { lacksPlace } from '../place.ts';
import { bindings } from './bindings.ts';
import { settleLost } from './budget.ts';
import { finishCompensation, nextCompensation } from './compensation.ts';
import { type Decider, ENDED, errorData, refOf } from './decider.ts';
import { enter } from './enter.ts';
import { runExecutes } from './executing.ts';
import { evaluateMap } from './finish.ts';
import { closeTimeoutQuestion } from './run-timeout.ts';
import { reviewScope } from './scope.ts';
import { isAboutToGoOn, settlePlace } from './settle-place.ts';
import { settleOpenQuestions } from './unattended.ts';
import { reviewConditions } from './waits.ts';

/** Carries the run as far as it goes without anybody's help, then says how it stands. */
export function settle(d: Decider): void {
  goOn(d);
  settleLost(d);
  settlePlace(d);
}

function goOn(d: Decider): void {
  const { status } = d.run;
  if (ENDED.has(status)) return;
  if (status === 'running' || status === 'suspended' || status === 'paused')
    while (advance(d)) if (ENDED.has(d.run.status)) return;
  conclude(d);
}

function advance(d: Decider): boolean {
  if (startPending(d) || settleOpenQuestions(d)) return true;
  if (d.run.scopes.size > 1 && reviewScopes(d)) return true;
  return reviewConditions(d);
}

/** Starts the nodes that tokens stand before, and lets handlers go on whose wait is over. */
function startPending(d: Decider): boolean {
  const about = aboutToGoOn(d);
  let started = false;
  for (const id of about) {
    if (!mayStart(d)) return started;
    const now = d.run.tokens.get(id);
    if (now === undefined || !isAboutToGoOn(now) || isBlocked(d.run, now)) continue;
    if (now.at.kind === 'node') d.emit('node.woken', refOf({ token: id, ...now.at }));
    else enter(d, now);
    started = true;
  }
  return started;
}

/** Most decisions leave none, or one. */
function aboutToGoOn(d: Decider): readonly string[] {
  let ids: string[] | undefined;
  for (const token of d.run.tokens.values())
    if (isAboutToGoOn(token))
      if (ids === undefined) ids = [token.id];
      else ids.push(token.id);
  return ids ?? NONE;
}

const NONE: readonly string[] = [];

function mayStart(d: Decider): boolean {
  return !(d.run.status === 'paused' && d.run.allowance === 0) && !isHeldByQuestion(d.run) && !lacksPlace(d.run);
}

/** Innermost first, so that what closes below is seen above. */
function reviewScopes(d: Decider): boolean {
  const ids = [...d.run.scopes.keys()].sort((a, b) => b.length - a.length);
  let changed = false;
  for (const id of ids) if (reviewScope(d, id)) changed = true;
  return changed;
}

function conclude(d: Decider): void {
  switch (d.run.status) {
    case 'cancelling':
      return concludeCancel(d);
    case 'compensating':
      return concludeCompensation(d);
    default:
      return concludeRun(d);
  }
}

function concludeRun(d: Decider): void {
  if (d.run.reopened) return;
  const root = d.token('');
  if (root.at.kind === 'ended') return complete(d, root.at.reason);
  const executes = runExecutes(d.run);
  if (root.at.kind === 'failed' && !executes) return failRun(d, root.at.error);
  if (d.run.status === 'running' && !executes) {
    const stuck = [...d.run.tokens.values()].find(token => token.at.kind === 'node' && token.at.status === 'stuck');
    const error = stuck?.at.kind === 'node' ? stuck.at.error : undefined;
    d.emit(
      'run.suspended',
      error === undefined
        ? { reason: lacksPlace(d.run) && [...d.run.tokens.values()].some(isAboutToGoOn) ? 'session' : 'waiting' }
        : { reason: 'codeChanged', details: { message: error.message, ...error.details } },
    );
  }
  if (d.run.status === 'suspended' && executes) d.emit('run.resumed', { reason: 'goesOn' });
}

function complete(d: Decider, reason: 'noArrival' | undefined): void {
  const root = d.token('');
  const graph = d.graphOf(root);
  let output: JsonValue = root.last;
  if (graph.output !== undefined) {
    const see = bindings({ run: d.run, token: root, graph, at: d.at, output: root.last });
    const evaluated = evaluateMap(graph.output, see, 'output of the run');
    if ('error' in evaluated) {
      d.emit('token.ended', { token: root.id, status: 'failed', error: evaluated.error });
      return failRun(d, evaluated.error);
    }
    output = evaluated.values;
  }
  closeTimeoutQuestion(d, 'superseded');
  d.emit('run.completed', { output, ...(reason === undefined ? {} : { reason }) });
}

/** What succeeded and can be undone is undone first. */
function failRun(d: Decider, error: ErrorData): void {
  closeTimeoutQuestion(d, 'failed');
  if (d.run.compensations.length === 0) return d.emit('run.failed', { error });
  for (const request of [...d.run.requests.values()])
    d.emit('request.withdrawn', { request: request.id, reason: 'failed' });
  d.emit('run.compensating', { ending: 'failed', error, reason: error.code });
  concludeCompensation(d);
}

function concludeCancel(d: Decider): void {
  if (runExecutes(d.run)) return;
  const { reason, compensate } = d.run.cancelling ?? { reason: '', compensate: false };
  if (!compensate || d.run.compensations.length === 0) return d.emit('run.cancelled', { reason });
  d.emit('run.compensating', { ending: 'cancelled', reason });
  concludeCompensation(d);
}

function concludeCompensation(d: Decider): void {
  const compensating = d.run.compensating;
  if (compensating === undefined || compensating.running !== undefined) return;
  if (nextCompensation(d)) return;
  const compensation = finishCompensation(d);
  if (compensating.ending === 'cancelled')
    return d.emit('run.cancelled', { reason: compensating.reason, compensation });
  d.emit('run.failed', { error: compensating.error ?? errorData('Failed', 'failed'), compensation });
}
