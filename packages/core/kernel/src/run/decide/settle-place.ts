import { isBlocked, isHeldByQuestion } from '../held-back.ts';
import type { Run } from '../run.ts';
import type { Token } from '../token.ts';
import { type Decider, ENDED } from './decider.ts';
import { runExecutes } from './executing.ts';

/** Says whether the run, as it stands after everything else was decided, frees its session's place or queues for it. */
export function settlePlace(d: Decider): void {
  if (d.run.place === undefined) return;
  if (d.run.place === 'held' && !keepsPlace(d.run)) d.emit('place.freed', {});
  const wants = wantsPlace(d.run);
  if (d.run.place === 'free' && wants) d.emit('place.queued', {});
  if (d.run.place === 'queued' && !wants) d.emit('place.freed', {});
}

/** What is undone goes on until it is undone. */
function keepsPlace(run: Run): boolean {
  if (ENDED.has(run.status)) return false;
  return run.status === 'compensating' || runExecutes(run);
}

function wantsPlace(run: Run): boolean {
  const mayGoOn = run.status === 'running' || run.status === 'suspended' || run.allowance > 0;
  if (!mayGoOn || ENDED.has(run.status) || run.status === 'cancelling' || isHeldByQuestion(run)) return false;
  for (const token of run.tokens.values()) if (isAboutToGoOn(token) && !isBlocked(run, token)) return true;
  return false;
}

/** It stands before a node, or its wait is over. */
export function isAboutToGoOn({ at }: Token): boolean {
  return at.kind === 'pending' || (at.kind === 'node' && at.status === 'held');
}
