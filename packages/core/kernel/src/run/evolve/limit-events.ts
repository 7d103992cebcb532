import type { Draft } from '../draft.ts';
import type { Evolve } from './evolver.ts';

/** Where nobody is asked it is a fact for those who look. */
export const limitReached: Evolve<'limit.reached'> = (draft, data) => {
  if (data.stands === undefined) return;
  const token = draft.token(data.token);
  const adopt = token.at.kind === 'pending' ? token.at.adopt : undefined;
  const { node, visit, limit, value, of, stands } = data;
  token.at = { kind: 'limited', node, visit, limit, value, of, ...stands, adopt };
};

/** The same allowance again. Counts that are read elsewhere go on, and what is granted stands beside them. */
export const limitExtended: Evolve<'limit.extended'> = (draft, data) => {
  if (data.limit === 'timeout') return beginAnew(draft);
  const token = draft.token(data.token);
  const node = data.of ?? data.node;
  if (data.limit === 'maxSteps') token.granted = (token.granted ?? 0) + data.value;
  if (data.limit === 'maxVisits') {
    const scope = draft.scope(token.scope);
    scope.granted = { ...scope.granted, [node]: (scope.granted?.[node] ?? 0) + data.value };
  }
  if (data.limit === 'maxSuccessive') token.successive = undefined;
  if (data.limit === 'noProgress') {
    const { [node]: _again, ...progress } = token.progress;
    token.progress = progress;
  }
  const { at } = token;
  if (at.kind === 'limited' && at.outcome === undefined)
    token.at = { kind: 'pending', node: at.node, ...(at.adopt === undefined ? {} : { adopt: at.adopt }) };
};

function beginAnew({ run }: Draft): void {
  run.executed = 0;
  if (run.executingSince !== undefined) run.executingSince = run.at;
}
