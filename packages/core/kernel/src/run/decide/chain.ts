import type { NodeRef } from '../../event/run-event.ts';
import type { RequestState } from '../request-state.ts';
import type { Run } from '../run.ts';
import type { Token } from '../token.ts';
import { scopesOutward, visibleAnswers } from './bindings.ts';
import type { Decider } from './decider.ts';

/**
 * How many questions were answered, or let pass, on the way to here, whether their answers went on or began anew. Those of
 * branches and items that are over count no more.
 */
export function questionsInARow(d: Decider, ref: NodeRef): number {
  const token = d.token(ref.token);
  // Runs of the first semantics count passes, and the questions of the visit at hand.
  if (d.run.semantics < 2) return visibleAnswers(d.run, token).length + askedInVisit(token);
  const path = new Set([token.id, ...outerTokens(d.run, token)]);
  const passed = [...d.run.closedRequests.values()].filter(request => isPassed(request) && path.has(request.token));
  const counted = new Set([
    ...passed.map(({ id }) => id),
    ...visibleAnswers(d.run, token).map(({ request }) => request),
  ]);
  return counted.size;
}

function isPassed({ about, status }: RequestState): boolean {
  return about === 'ask' && (status === 'answered' || status === 'expired');
}

function outerTokens(run: Run, token: Token): string[] {
  return [...scopesOutward(run, token)].filter(({ kind }) => kind !== 'root').map(({ owner }) => owner.token);
}

function askedInVisit({ at }: Token): number {
  const records = at.kind === 'node' ? [...at.journal.values()] : [];
  return records.filter(({ kind, status }) => kind === 'ask' && status === 'recorded').length;
}
