import type { ErrorData, NodeRef } from '../../event/run-event.ts';
import type { JsonValue } from '../../json/value.ts';
import { ListCell, type StateView } from '../../state/cell.ts';
import type { Draft, Mutable } from '../draft.ts';
import { nodeKey } from '../keys.ts';
import type { Scope } from '../scope.ts';
import type { BranchResult, NodeOutcome, Token } from '../token.ts';

/** The id of the n-th token of a scope. */
export function tokenId(scope: string, index: number): string {
  return `${scope}.${index}`;
}

export function newToken(scope: Scope, index: number, parent: Token | undefined, last: JsonValue): Token {
  const state: StateView = scope.state;
  return {
    id: scope.kind === 'root' ? '' : tokenId(scope.id, index),
    scope: scope.id,
    index,
    graph: scope.graph,
    at: { kind: 'pending', node: '' },
    first: undefined,
    state,
    writes: [],
    steps: parent?.steps ?? 0,
    granted: parent?.granted,
    visits: {},
    successive: undefined,
    last,
    nodes: {},
    trail: parent?.trail ?? ListCell.of([]),
    branches: undefined,
    entries: {},
    answers: [],
    revision: 0,
    progress: {},
    good: scope.kind === 'fork' ? (parent?.good ?? {}) : {},
    error: undefined,
  };
}

/** What the join is told of one token of its scope. */
export function branchResult(token: Token | undefined): BranchResult {
  const at = token?.at;
  if (at?.kind === 'arrived' || at?.kind === 'ended') return { status: at.kind, output: at.output };
  return { status: at?.kind === 'failed' ? 'failed' : 'cancelled' };
}

export function setOutcome(token: Mutable<Token>, node: string, outcome: NodeOutcome): void {
  const branches = outcome.branches ?? token.nodes[node]?.branches;
  token.nodes = { ...token.nodes, [node]: branches === undefined ? outcome : { ...outcome, branches } };
}

/** Timers and open waits of a node end with it. Requests are closed by their own events. */
export function dropTimers(draft: Draft, ref: NodeRef, op?: string): void {
  const key = nodeKey(ref);
  for (const timer of draft.run.timers.values()) {
    if (nodeKey(timer) !== key || (op !== undefined && timer.op !== op)) continue;
    draft.timers().delete(timer.id);
  }
}

/** Removes a scope and every token and scope below it. */
export function dropScope(draft: Draft, id: string): void {
  const below = `${id}.`;
  for (const key of draft.run.tokens.keys()) if (key.startsWith(below)) draft.tokens().delete(key);
  for (const key of draft.run.scopes.keys()) if (key.startsWith(below)) draft.scopes().delete(key);
  draft.scopes().delete(id);
  for (const timer of draft.run.timers.values()) if (timer.token.startsWith(below)) draft.timers().delete(timer.id);
}

/** A token of a map is replaced by its result as soon as it ends: a map of 10,000 holds tokens of those at work only. */
export function settleItem(draft: Draft, token: Token, output: JsonValue, error?: ErrorData): void {
  const scope = draft.scope(token.scope);
  const status = error === undefined ? 'ended' : 'failed';
  if (token.revision > 0) draft.token(scope.owner.token).revision += 1;
  draft.results(scope).set(token.index, { status, output, error, writes: token.writes });
  draft.tokens().delete(token.id);
}
