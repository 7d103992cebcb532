import type { Token } from '../token.ts';
import type { Evolve } from './evolver.ts';
import { dropScope, settleItem } from './tokens.ts';

export const tokenEnded: Evolve<'token.ended'> = (draft, data) => {
  const token = draft.token(data.token);
  const at = token.at;
  if (data.status === 'cancelled') {
    if (at.kind === 'forked') dropScope(draft, at.scope);
    token.at = { kind: 'cancelled', ...('node' in at ? { was: at.node } : {}) };
    return;
  }
  const error = data.error ?? { code: 'Failed', message: 'failed' };
  token.error = error;
  const scope = draft.run.scopes.get(token.scope);
  if (scope?.kind === 'map' && scope.collect) settleItem(draft, token, null, error);
  else if (at.kind === 'pending') token.at = { kind: 'failed', error, phase: 'start', node: at.node };
  else if (at.kind === 'limited')
    token.at =
      at.outcome === undefined
        ? { kind: 'failed', error, phase: 'start', node: at.node }
        : { kind: 'failed', error, phase: 'routing', node: at.node, visit: at.visit, outcome: at.outcome };
  else if (at.kind === 'forked')
    token.at = {
      kind: 'failed',
      error,
      phase: 'scope',
      node: at.node,
      visit: at.visit,
      scope: at.scope,
      composite: undefined,
    };
  else if (at.kind === 'node') {
    const failed = { kind: 'failed' as const, error, node: at.node, visit: at.visit };
    token.at =
      data.outcome === undefined
        ? { ...failed, phase: 'node', journal: at.journal }
        : { ...failed, phase: 'routing', outcome: data.outcome };
  } else if (at.kind === 'ended')
    token.at = { kind: 'failed', error, phase: 'output', node: lastNode(token), reason: at.reason };
};

function lastNode(token: Token): string {
  const last = token.trail.slice(Math.max(0, token.trail.length - 1), token.trail.length)[0];
  return typeof last === 'string' ? last : '';
}

export const routeDecided: Evolve<'route.decided'> = (draft, data) => {
  const token = draft.token(data.token);
  if (token.at.kind === 'forked') dropScope(draft, token.at.scope);
  if (token.at.kind === 'failed' && token.at.phase === 'scope') dropScope(draft, token.at.scope);
  // At a limit of the join that was about to start, the token goes elsewhere.
  if (token.branches !== undefined) token.branches = undefined;
  switch (data.leads) {
    case undefined:
      token.at = {
        kind: 'pending',
        node: data.to[0]!,
        ...(data.outcome === 'limit' ? { byLimit: true as const } : {}),
      };
      return;
    case 'fork':
      return;
    case 'join':
      token.at = { kind: 'arrived', output: token.last };
      return;
    case 'end':
      if (draft.run.scopes.get(token.scope)?.kind === 'map') settleItem(draft, token, token.last);
      else token.at = { kind: 'ended', output: token.last, reason: data.reason };
  }
};
