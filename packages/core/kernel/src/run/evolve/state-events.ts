import type { RunEvents } from '../../event/run-event.ts';
import { applyChanges } from '../../state/apply-changes.ts';
import type { Draft } from '../draft.ts';
import type { Evolve } from './evolver.ts';

export const stateChanged: Evolve<'state.changed'> = (draft, data) => {
  if (data.base) return changeBase(draft, data);
  const token = draft.token(data.token);
  token.state = applyChanges(token.state, data.changes);
  token.revision += 1;
  if (token.id !== '') token.writes = [...token.writes, ...data.changes];
};

function changeBase(draft: Draft, { token: id, changes }: RunEvents['state.changed']): void {
  const token = draft.token(id);
  token.state = applyChanges(token.state, changes);
  if (token.at.kind === 'node') token.at = { ...token.at, state: applyChanges(token.at.state, changes) };
  const entries = Object.entries(token.entries).map(
    ([node, entry]) => [node, { ...entry, state: applyChanges(entry.state, changes) }] as const,
  );
  token.entries = Object.fromEntries(entries);
  for (const scope of draft.run.scopes.values())
    if (scope.owner.token === id && scope.kind !== 'subgraph' && scope.kind !== 'root')
      draft.scope(scope.id).state = applyChanges(scope.state, changes);
}
