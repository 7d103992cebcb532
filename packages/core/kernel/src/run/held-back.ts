import { lacksPlace } from './place.ts';
import type { Run } from './run.ts';
import type { Token } from './token.ts';

/** A token may not go on while a scope around it fails, or whoever opened that scope has failed. */
export function isBlocked(run: Run, token: Token): boolean {
  let current: Token | undefined = token;
  while (current !== undefined) {
    const scope = run.scopes.get(current.scope);
    if (scope === undefined) return false;
    if (scope.failing !== undefined) return true;
    if (scope.kind === 'root') return false;
    current = run.tokens.get(scope.owner.token);
    if (current?.at.kind === 'failed') return true;
  }
  return false;
}

/** A question that holds the run is open: nothing goes on until it is closed. */
export function isHeldByQuestion(run: Run): boolean {
  for (const request of run.requests.values()) if (request.hold === 'run') return true;
  return false;
}

/** What comes to the token now is recorded, and drives nothing yet. */
export function isHeldBack(run: Run, token: Token): boolean {
  return run.status === 'paused' || isBlocked(run, token) || isHeldByQuestion(run) || lacksPlace(run);
}
