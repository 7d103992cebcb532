import type { Mutable } from '../draft.ts';
import type { Token, TokenPosition } from '../token.ts';
import type { Evolve } from './evolver.ts';

export const migrated: Evolve<'run.migrated'> = (draft, data) => {
  const { run } = draft;
  run.version = data.to;
  run.label = data.label;
  const name = (node: string) => data.mapping[node] ?? node;
  for (const id of run.tokens.keys()) renameToken(draft.token(id), name);
  for (const id of run.scopes.keys()) {
    const scope = draft.scope(id);
    scope.visits = renamed(scope.visits, name);
    if (scope.granted !== undefined) scope.granted = renamed(scope.granted, name);
    scope.join = scope.join === undefined ? undefined : name(scope.join);
    if (scope.kind !== 'root') scope.owner = { ...scope.owner, node: name(scope.owner.node) };
  }
  for (const [id, request] of run.requests) draft.requests().set(id, { ...request, node: name(request.node) });
  for (const [id, timer] of run.timers) draft.timers().set(id, { ...timer, node: name(timer.node) });
  run.compensations = run.compensations.map(entry => ({
    ...entry,
    node: name(entry.node),
    ...(entry.by === undefined ? {} : { by: name(entry.by) }),
  }));
};

type Rename = (node: string) => string;

function renameToken(token: Mutable<Token>, name: Rename): void {
  if ('node' in token.at) token.at = renamedPosition(token.at, name);
  if (token.at.kind === 'cancelled' && token.at.was !== undefined) token.at = { ...token.at, was: name(token.at.was) };
  token.first = token.first === undefined ? undefined : name(token.first);
  token.successive = token.successive && { ...token.successive, node: name(token.successive.node) };
  token.visits = renamed(token.visits, name);
  token.nodes = renamed(token.nodes, name);
  token.entries = renamed(token.entries, name);
  token.progress = renamed(token.progress, name);
  token.good = renamed(token.good, name);
}

function renamedPosition(at: Extract<TokenPosition, { node: string }>, name: Rename): TokenPosition {
  const node = name(at.node);
  if (at.kind === 'node' && at.fallback !== undefined)
    return { ...at, node, fallback: { ...at.fallback, node: name(at.fallback.node) } };
  if (at.kind === 'failed' && at.phase === 'scope' && at.composite !== undefined)
    return { ...at, node, composite: { ...at.composite, node } };
  if (at.kind === 'limited' && at.of !== undefined) return { ...at, node, of: name(at.of) };
  return { ...at, node };
}

function renamed<Value>(record: Readonly<Record<string, Value>>, name: Rename): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([node, value]) => [name(node), value]));
}
