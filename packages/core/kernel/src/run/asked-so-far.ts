import type { Run } from './run.ts';

/**
 * How many questions were put one after the other on the way to a token, whether their answers went on or began anew: its own and those
 * of the tokens around it. Those of branches and items that are over count no more.
 */
export function askedUpTo(run: Run, token: string): number {
  let asked = 0;
  for (let current = run.tokens.get(token); current !== undefined; ) {
    asked += current.asked ?? 0;
    const scope = run.scopes.get(current.scope);
    current = scope === undefined || scope.kind === 'root' ? undefined : run.tokens.get(scope.owner.token);
  }
  return asked;
}
