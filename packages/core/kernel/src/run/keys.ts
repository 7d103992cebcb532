import type { NodeRef } from '../event/run-event.ts';
import type { Run } from './run.ts';

/** `path/node/op` of an operation, whatever the visits on its path: they go on when something is done again. */
export function laterKey(ref: NodeRef, op: string): string {
  return `${ref.token.replaceAll(/#\d+/g, '')}/${ref.node}/${op}`;
}

/** What the operations of checks are called; a handler's own are not among them, and no other visit takes them over. */
export const CHECK_PREFIX = 'check:';

/** `path/node#visit`, the first part of a journal key. */
export function nodeKey(ref: NodeRef): string {
  return `${ref.token === '' ? '' : `${ref.token}/`}${ref.node}#${ref.visit}`;
}

/** The journal key: `path/node#visit/name#n`. Attempt is not in it, so it is the same after a crash or a retry by policy. */
export function opKey(ref: NodeRef, op: string): string {
  return `${nodeKey(ref)}/${op}`;
}

/** What ids and idempotency keys are derived from: the journal key within its run and generation. */
export function globalKey(run: Pick<Run, 'id' | 'generation'>, ref: NodeRef, op: string): string {
  return `${run.id}${run.generation === 0 ? '' : `~${run.generation}`}/${opKey(ref, op)}`;
}
