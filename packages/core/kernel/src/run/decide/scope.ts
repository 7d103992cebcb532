import type { Change, ErrorData } from '../../event/run-event.ts';
import type { JoinMode } from '../../graph/definition.ts';
import type { JsonValue } from '../../json/value.ts';
import { mergeWrites } from '../../state/reduce.ts';
import { tokenId } from '../evolve/tokens.ts';
import type { Scope } from '../scope.ts';
import type { Token } from '../token.ts';
import { bindings } from './bindings.ts';
import { cancelScope } from './cancel-token.ts';
import { type Decider, errorData, refOf } from './decider.ts';
import { scopeExecutes } from './executing.ts';
import { evaluateMap, fail, succeed } from './finish.ts';
import { route } from './route.ts';

/** Looks whether a scope can close, must fail, or has to wait; returns whether it did anything. */
export function reviewScope(d: Decider, id: string): boolean {
  const scope = d.run.scopes.get(id);
  if (scope === undefined || scope.kind === 'root') return false;
  if (scope.failing !== undefined) return escalate(d, scope);
  switch (scope.kind) {
    case 'fork':
      return reviewFork(d, scope);
    case 'map':
      return reviewMap(d, scope);
    case 'subgraph':
      return reviewSubgraph(d, scope);
  }
}

interface Tally {
  readonly arrived: number;
  readonly live: number;
  readonly failed: readonly Token[];
  readonly tokens: readonly (Token | undefined)[];
}

function tally(d: Decider, scope: Scope): Tally {
  const tokens = Array.from({ length: scope.size }, (_, index) => d.run.tokens.get(tokenId(scope.id, index)));
  const of = (kind: Token['at']['kind']) => tokens.filter(token => token?.at.kind === kind);
  const live = of('pending').length + of('node').length + of('forked').length + of('limited').length;
  return { arrived: of('arrived').length, live, failed: of('failed') as Token[], tokens };
}

function reviewFork(d: Decider, scope: Scope): boolean {
  const now = tally(d, scope);
  const mode = joinMode(d, scope);
  if (mode === 'all') {
    if (now.failed.length > 0) return failScope(d, scope, errorOf(now.failed[0]!));
    if (now.live > 0) return false;
    return now.arrived > 0 ? join(d, scope, now) : endScope(d, scope, now);
  }
  if (now.arrived >= mode) {
    cancelScope(d, scope.id, 'superseded');
    return join(d, scope, tally(d, scope));
  }
  if (now.arrived + now.live >= mode) return false;
  // As long as nobody arrived or failed, the rest may still all end, and then no join is due.
  if (now.arrived === 0 && now.failed.length === 0) return now.live === 0 && endScope(d, scope, now);
  return failScope(d, scope, unmet(scope, mode, now));
}

/** `all`, or how many have to arrive. */
function joinMode(d: Decider, scope: Scope): 'all' | number {
  if (scope.join === undefined) return 'all';
  const owner = d.token(scope.owner.token);
  const mode: JoinMode = d.node(owner, scope.join).join ?? 'all';
  if (mode === 'all') return 'all';
  return mode === 'any' ? 1 : mode.count;
}

function unmet(scope: Scope, mode: number, now: Tally): ErrorData {
  const causes = now.failed.map(token => ({
    token: token.id,
    code: errorOf(token).code,
    message: errorOf(token).message,
  }));
  const message = `Join "${scope.join}" needs ${mode} of ${scope.size} branches, but only ${now.arrived + now.live} can still arrive.`;
  return errorData('JoinUnmet', message, { details: { causes } });
}

function errorOf(token: Token): ErrorData {
  return token.at.kind === 'failed' ? token.at.error : errorData('Failed', 'failed');
}

function join(d: Decider, scope: Scope, now: Tally): boolean {
  const owner = d.token(scope.owner.token);
  const merged = mergeWrites(d.graphOf(owner).state, owner.state, writesOf(now));
  const node = scope.join!;
  d.emit('scope.closed', { scope: scope.id, outcome: 'joined', node });
  if (merged.ok) {
    if (merged.changes.length > 0) d.emit('state.changed', { token: owner.id, changes: merged.changes });
    return true;
  }
  // A conflict fails the join node; the parent's state stays untouched.
  const visit = (d.token(owner.id).visits[node] ?? 0) + 1;
  const ref = { token: owner.id, node, visit };
  d.emit('node.started', { ...ref, attempt: 1 });
  fail(d, ref, conflict(merged), { retry: false });
  return true;
}

function conflict(merged: { readonly key: string; readonly writers: readonly string[] }): ErrorData {
  const message = `Two branches wrote the state key "${merged.key}", which has no reducer: ${merged.writers.map(writer => `"${writer}"`).join(' and ')}.`;
  return errorData('StateConflictError', message, {
    permanent: true,
    details: { key: merged.key, writers: [...merged.writers] },
  });
}

function writesOf(now: Tally): (readonly Change[])[] {
  return now.tokens.map(token => (token?.at.kind === 'arrived' || token?.at.kind === 'ended' ? token.writes : []));
}

/** Nobody arrived and nobody failed: no join runs, the owner ends with the last of its branches. */
function endScope(d: Decider, scope: Scope, now: Tally): boolean {
  const owner = d.token(scope.owner.token);
  const merged = mergeWrites(d.graphOf(owner).state, owner.state, writesOf(now));
  if (!merged.ok) {
    d.emit('token.ended', { token: owner.id, status: 'failed', error: conflict(merged) });
    return true;
  }
  d.emit('scope.closed', { scope: scope.id, outcome: 'ended' });
  if (merged.changes.length > 0) d.emit('state.changed', { token: owner.id, changes: merged.changes });
  d.emit('route.decided', {
    ...refOf(scope.owner),
    outcome: 'success',
    to: ['end'],
    leads: 'end',
    ...(scope.join === undefined ? {} : { reason: 'noArrival' as const }),
  });
  return true;
}

function failScope(d: Decider, scope: Scope, error: ErrorData): boolean {
  d.emit('scope.failing', { scope: scope.id, error });
  escalate(d, d.scope(scope.id));
  return true;
}

/** When nothing in the scope executes any more, the failure goes to whoever opened it. */
function escalate(d: Decider, scope: Scope): boolean {
  const owner = d.run.tokens.get(scope.owner.token);
  if (owner === undefined || owner.at.kind === 'failed' || scopeExecutes(d.run, scope.id)) return false;
  const error = scope.failing!;
  if (scope.kind === 'fork') {
    d.emit('scope.failed', { scope: scope.id, error });
    route(d, { ...refOf(scope.owner), outcome: 'failed', output: owner.last });
  } else fail(d, refOf(scope.owner), error, { retry: false });
  return true;
}

function reviewMap(d: Decider, scope: Scope): boolean {
  const failed = [...d.run.tokens.values()].find(token => token.scope === scope.id && token.at.kind === 'failed');
  if (failed !== undefined) return failScope(d, scope, errorOf(failed));
  if (scope.results.size < scope.size) return fill(d, scope);
  const results = Array.from({ length: scope.size }, (_, index) => scope.results.get(index)!);
  const output: JsonValue = results.map(result =>
    result.error === undefined ? result.output : { error: { code: result.error.code, message: result.error.message } },
  );
  const owner = d.token(scope.owner.token);
  const merged = mergeWrites(
    d.graphOf(owner).state,
    owner.state,
    results.map(result => (result.error === undefined ? result.writes : [])),
  );
  if (!merged.ok) return closeAndFail(d, scope, conflict(merged));
  d.emit('scope.closed', { scope: scope.id, outcome: 'joined' });
  succeed(d, refOf(scope.owner), { output, changes: merged.changes });
  return true;
}

function closeAndFail(d: Decider, scope: Scope, error: ErrorData): boolean {
  d.emit('scope.closed', { scope: scope.id, outcome: 'failed' });
  fail(d, refOf(scope.owner), error, { retry: false });
  return true;
}

/** Begins further items up to the map's concurrency; only items that execute count, a suspended one frees its place. */
function fill(d: Decider, scope: Scope): boolean {
  const owner = d.token(scope.owner.token);
  const { definition } = d.node(owner, scope.owner.node);
  const most = definition.type === 'map' ? (definition.concurrency ?? 10) : 1;
  if (scope.next >= scope.size || executingItems(d, scope) >= most) return false;
  d.emit('item.opened', { scope: scope.id, index: scope.next, node: 'body' });
  return true;
}

function executingItems(d: Decider, scope: Scope): number {
  const items = new Set<string>();
  const below = `${scope.id}.`;
  for (const token of d.run.tokens.values()) {
    if (!token.id.startsWith(below)) continue;
    const { at } = token;
    const counts =
      at.kind === 'pending' ||
      (at.kind === 'node' && (at.status === 'running' || (at.status === 'backoff' && !at.durable)));
    if (counts) items.add(token.id.slice(below.length).split('/')[0]!);
  }
  return items.size;
}

function reviewSubgraph(d: Decider, scope: Scope): boolean {
  const token = d.token(tokenId(scope.id, 0));
  if (token.at.kind === 'failed') return failScope(d, scope, token.at.error);
  if (token.at.kind !== 'ended') return false;
  const graph = d.graphOf(token);
  let output: JsonValue = token.last;
  if (graph.output !== undefined) {
    const see = bindings({ run: d.run, token, graph, at: d.at, output: token.last });
    const evaluated = evaluateMap(graph.output, see, `output of graph "${graph.definition.name}"`);
    if ('error' in evaluated) {
      d.emit('token.ended', { token: token.id, status: 'failed', error: evaluated.error });
      return failScope(d, scope, evaluated.error);
    }
    output = evaluated.values;
  }
  const owner = d.token(scope.owner.token);
  const shared = token.writes.filter(change => scope.share.includes(change.key));
  const merged = mergeWrites(d.graphOf(owner).state, owner.state, [shared]);
  if (!merged.ok) return closeAndFail(d, scope, conflict(merged));
  d.emit('scope.closed', { scope: scope.id, outcome: 'joined' });
  succeed(d, refOf(scope.owner), { output, changes: merged.changes });
  return true;
}
