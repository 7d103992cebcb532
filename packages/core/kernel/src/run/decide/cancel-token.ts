import type { NodeRef, RunEvents } from '../../event/run-event.ts';
import { nodeKey } from '../keys.ts';
import { type Decider, refOf } from './decider.ts';

type Reason = 'superseded' | 'cancelled' | 'restarted' | 'failed' | 'rolledBack';

/** Withdraws what a node still asks and cancels what runs below it; the node itself goes on to whatever is decided next. */
export function cancelNode(
  d: Decider,
  ref: NodeRef,
  reason: Reason,
  options: {
    readonly keepToken: boolean;
    readonly keepJournal?: boolean;
    readonly done?: RunEvents['node.cancelled']['done'];
  },
): void {
  withdrawAt(d, nodeKey(ref), reason);
  if (!options.keepToken) {
    const at = d.token(ref.token).at;
    if (at.kind === 'node' && at.scope !== undefined) cancelScope(d, at.scope, reason);
    d.emit('node.cancelled', {
      ...refOf(ref),
      reason,
      ...(options.keepJournal ? { keep: true as const } : {}),
      ...(options.done === undefined ? {} : { done: options.done }),
    });
  }
}

function withdrawAt(d: Decider, key: string, reason: Reason): void {
  for (const request of d.run.requests.values())
    if (request.about !== 'compensation' && nodeKey(request) === key)
      d.emit('request.withdrawn', { request: request.id, reason });
}

/** Cancels every token of a scope, innermost first. The scope itself stays until it is closed. */
export function cancelScope(d: Decider, scope: string, reason: Reason): void {
  const tokens = [...d.run.tokens.values()].filter(token => token.scope === scope && token.id !== '');
  for (const token of tokens) cancelToken(d, token.id, reason);
}

export function cancelToken(d: Decider, id: string, reason: Reason): void {
  const at = d.run.tokens.get(id)?.at;
  if (at === undefined) return;
  switch (at.kind) {
    case 'node':
      cancelNode(d, { token: id, node: at.node, visit: at.visit }, reason, { keepToken: false });
      return;
    case 'forked':
      cancelScope(d, at.scope, reason);
      d.emit('token.ended', { token: id, status: 'cancelled' });
      return;
    case 'failed':
      if (at.phase === 'scope') cancelScope(d, at.scope, reason);
      return;
    case 'limited':
      withdrawAt(d, nodeKey({ token: id, node: at.node, visit: at.visit }), reason);
      d.emit('token.ended', { token: id, status: 'cancelled' });
      return;
    case 'pending':
      d.emit('token.ended', { token: id, status: 'cancelled' });
      return;
    default:
      return;
  }
}
