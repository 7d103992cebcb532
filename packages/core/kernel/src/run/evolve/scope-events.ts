import { toStateView } from '../../state/cell.ts';
import type { Draft } from '../draft.ts';
import type { Scope } from '../scope.ts';
import type { Evolve } from './evolver.ts';
import { branchResult, dropScope, newToken, tokenId } from './tokens.ts';

export const scopeOpened: Evolve<'scope.opened'> = (draft, data) => {
  const owner = draft.token(data.token);
  const scope: Scope = {
    id: data.scope,
    kind: data.kind,
    owner: { token: data.token, node: data.node, visit: data.visit },
    graph: data.graph,
    join: data.join,
    size: data.size,
    inputs: data.inputs ?? [],
    collect: data.collect ?? false,
    next: data.kind === 'map' ? 0 : data.size,
    results: new Map(),
    state: data.state === undefined ? owner.state : toStateView(data.state),
    share: data.share ?? [],
    visits: {},
    failing: undefined,
  };
  draft.scopes().set(data.scope, scope);
  if (data.kind === 'fork') owner.at = { kind: 'forked', node: data.node, visit: data.visit, scope: data.scope };
  else {
    const execution = draft.execution(data);
    if (execution !== undefined) execution.scope = data.scope;
  }
  for (let index = 0; index < data.size && data.kind !== 'map'; index += 1) {
    const token = newToken(scope, index, owner, data.kind === 'fork' ? owner.last : (data.inputs?.[0] ?? null));
    const node = data.entries?.[index] ?? '';
    draft.tokens().set(tokenId(data.scope, index), { ...token, at: { kind: 'pending', node } });
  }
};

/** The tokens of a map come one by one, so that a map of 10,000 holds those at work only. */
export const itemOpened: Evolve<'item.opened'> = (draft, data) => {
  const scope = draft.scope(data.scope);
  scope.next = data.index + 1;
  const owner = draft.run.tokens.get(scope.owner.token);
  const token = newToken(scope, data.index, owner, scope.inputs[data.index] ?? null);
  draft.tokens().set(token.id, { ...token, at: { kind: 'pending', node: data.node } });
};

export const scopeFailing: Evolve<'scope.failing'> = (draft, data) => {
  draft.scope(data.scope).failing = data.error;
};

export const scopeFailed: Evolve<'scope.failed'> = (draft, data) => {
  const owner = draft.run.scopes.get(data.scope)?.owner;
  if (owner !== undefined) draft.token(owner.token).error = data.error;
};

/** Joined or ended: the owner goes on with what its branches brought; failed or cancelled: their writes are dropped. */
export const scopeClosed: Evolve<'scope.closed'> = (draft, data) => {
  const scope = draft.scope(data.scope);
  const owner = draft.token(scope.owner.token);
  if (scope.kind === 'fork') {
    const tokens = Array.from({ length: scope.size }, (_, index) => draft.run.tokens.get(tokenId(scope.id, index)));
    if (data.outcome === 'joined' && data.node !== undefined) {
      owner.branches = tokens.map(branchResult);
      owner.at = { kind: 'pending', node: data.node };
    }
    owner.steps = Math.max(owner.steps, ...tokens.map(token => token?.steps ?? 0));
    const granted = Math.max(owner.granted ?? 0, ...tokens.map(token => token?.granted ?? 0));
    if (granted > 0) owner.granted = granted;
    for (const token of tokens)
      if (token !== undefined && token.good !== owner.good) owner.good = { ...owner.good, ...token.good };
    if (data.outcome === 'ended') {
      const last = tokens.findLast(token => token?.at.kind === 'ended');
      if (last !== undefined) owner.last = last.last;
    }
  } else if (owner.at.kind === 'node' && owner.at.scope === data.scope) owner.at = { ...owner.at, scope: undefined };
  if (scope.kind !== 'map' && somethingHappened(draft, scope)) owner.revision += 1;
  dropScope(draft, data.scope);
};

function somethingHappened(draft: Draft, scope: Scope): boolean {
  for (let index = 0; index < scope.size; index += 1)
    if ((draft.run.tokens.get(tokenId(scope.id, index))?.revision ?? 0) > 0) return true;
  return false;
}
