import { SignalboxError } from '../../error/error.ts';
import { mayAnswer } from '../../event/principal.ts';
import type { NodeRef } from '../../event/run-event.ts';
import type { Outcome } from '../../graph/definition.ts';
import type { JsonObject } from '../../json/value.ts';
import { commitTime } from '../../time/commit-time.ts';
import { answerOutput } from '../answer-output.ts';
import type { OutsideCommand } from '../command.ts';
import type { RequestState } from '../request-state.ts';
import { type Decider, refOf } from './decider.ts';
import { settleDoubt } from './doubt.ts';
import { succeed } from './finish.ts';
import { closedError, targetOf } from './target.ts';
import { memberOf, resolveOp } from './waits.ts';

/** Takes a question back from outside: its node goes on as after `cancel`, with the reason as note. */
export function withdrawRequest(d: Decider, command: Extract<OutsideCommand, { type: 'withdrawRequest' }>): void {
  const request = targetOf(d, command.request);
  if (request.status !== 'open') throw closedError(request);
  if (!mayAnswer(d.actor)) throw new SignalboxError('NotEntitled', `A ${d.actor.kind} can never withdraw a request.`);
  const { reason } = command;
  d.emit('request.withdrawn', { request: request.id, reason: 'withdrawn', by: d.actor, note: reason });
  const entry = { action: 'cancel' as const, note: reason, by: d.actor, at: commitTime(d.at) };
  if (request.about === 'doubt') return settleDoubt(d, request, entry);
  if (request.about === 'ask') goOnWithout(d, request, answerOutput(entry), 'cancel');
}

/** Lets a node go on whose question is closed and was not answered. */
export function goOnWithout(d: Decider, request: RequestState, output: JsonObject, outcome: Outcome): void {
  if (!d.isAt(request)) return;
  const ref: NodeRef = refOf(request);
  const token = d.token(request.token);
  if (d.node(token, request.node).definition.type === 'ask') return succeed(d, ref, { output, outcome });
  const record = token.at.kind === 'node' ? token.at.journal.get(request.op) : undefined;
  if (record === undefined) return;
  resolveOp(
    d,
    ref,
    request.op,
    output,
    memberOf(record, wait => wait.request === request.id),
  );
}
