import { SignalboxError } from '../../error/error.ts';
import { isSamePerson, parsePrincipal } from '../../event/principal.ts';
import { notEntitled } from '../../request/entitlement.ts';
import { askedOf } from '../asked.ts';
import type { OutsideCommand } from '../command.ts';
import type { Claim } from '../request-state.ts';
import type { Decider } from './decider.ts';
import { requestOf } from './request-of.ts';
import { closedError, targetOf } from './target.ts';

type Of<Type extends OutsideCommand['type']> = Extract<OutsideCommand, { type: Type }>;

/**
 * A claim says who means to answer, and keeps the others off. It is no right: it needs what an answer needs, and whoever has
 * that may take it over by saying so.
 */
export function claimRequest(d: Decider, command: Of<'claimRequest'>): void {
  const request = targetOf(d, command.request);
  if (request.status !== 'open') throw closedError(request);
  const { claim } = request;
  const compiled = requestOf(d.program, d.run, request);
  const kept = notEntitled({ by: d.actor, roles: command.roles }, askedOf(d.run, request, compiled));
  if (kept !== undefined) throw kept;
  if (claim !== undefined && isSamePerson(claim.by, d.actor)) return;
  if (claim !== undefined && command.takeOver !== true) throw claimedByAnother(claim);
  d.emit('request.claimed', {
    request: request.id,
    by: d.actor,
    ...(claim === undefined ? {} : { from: claim.by }),
  });
}

export function releaseRequest(d: Decider, command: Of<'releaseRequest'>): void {
  const request = targetOf(d, command.request);
  if (request.status !== 'open') throw closedError(request);
  if (request.claim === undefined || !isSamePerson(request.claim.by, d.actor))
    throw new SignalboxError('NotClaimed', 'You have not claimed this request, so you cannot release it.', {
      hint: 'Claim it; one that somebody else has claimed can be taken over.',
      details: { request: request.id },
    });
  const { reason } = command;
  release(d, request.id, reason);
}

/** Its turn is over: the next who is named has the question, and at last whoever may answer. */
export function release(d: Decider, id: string, reason: string | undefined): void {
  const claim = d.run.requests.get(id)?.claim;
  if (claim === undefined) return;
  d.emit('request.released', { request: id, by: claim.by, ...(reason === undefined ? {} : { reason }) });
  offerToService(d, id);
}

/** A service that stands first among the assignees has the question to itself for a while. */
export function offerToService(d: Decider, id: string): void {
  const request = d.run.requests.get(id);
  const first = request?.assignees[0];
  if (request === undefined || first === undefined) return;
  const { kind, id: name } = parsePrincipal(first);
  if (kind !== 'service') return;
  const { serviceTimeout } = requestOf(d.program, d.run, request);
  d.emit('request.claimed', { request: id, by: { kind, id: name }, until: d.at + serviceTimeout });
}

export function claimedByAnother({ by }: Claim): SignalboxError {
  return new SignalboxError('AlreadyClaimed', `${by.kind}:${by.id} has claimed this request.`, {
    hint: 'Take it over if you mean to answer in their place.',
    details: { by: { ...by } },
  });
}
