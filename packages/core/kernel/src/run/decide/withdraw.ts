import { SignalboxError } from '../../error/error.ts';
import { mayAnswer } from '../../event/principal.ts';
import { commitTime } from '../../time/commit-time.ts';
import { answerOutput } from '../answer-output.ts';
import type { OutsideCommand } from '../command.ts';
import type { Decider } from './decider.ts';
import { settleDoubt } from './doubt.ts';
import { goOnWith } from './go-on-with.ts';
import { settleLimit } from './settle-limit.ts';
import { closedError, targetOf } from './target.ts';

/** Takes a question back from outside: its node goes on as after `cancel`, with the reason as note. */
export function withdrawRequest(d: Decider, command: Extract<OutsideCommand, { type: 'withdrawRequest' }>): void {
  const request = targetOf(d, command.request);
  if (request.status !== 'open') throw closedError(request);
  if (!mayAnswer(d.actor)) throw new SignalboxError('NotEntitled', `A ${d.actor.kind} can never withdraw a request.`);
  const { reason } = command;
  d.emit('request.withdrawn', { request: request.id, reason: 'withdrawn', by: d.actor, note: reason });
  const entry = { action: 'cancel' as const, note: reason, by: d.actor, at: commitTime(d.at) };
  if (request.about === 'doubt') return settleDoubt(d, request, entry);
  if (request.about === 'limit') return settleLimit(d, request, entry);
  if (request.about === 'ask') goOnWith(d, request, answerOutput(entry), 'cancel');
}
