import type { Run, Token } from '../run.ts';

/** True when the token's node is being worked on, or is about to be again within the second. */
export function isExecuting(token: Token): boolean {
  const { at } = token;
  if (at.kind !== 'node') return false;
  return at.status === 'running' || (at.status === 'backoff' && !at.durable);
}

/** Whether any token of the scope, or of a scope below it, executes. */
export function scopeExecutes(run: Run, scope: string): boolean {
  const below = `${scope}.`;
  for (const token of run.tokens.values()) if (token.id.startsWith(below) && isExecuting(token)) return true;
  return false;
}

export function runExecutes(run: Run): boolean {
  for (const token of run.tokens.values()) if (isExecuting(token)) return true;
  return false;
}

/** A token may not start its next node while a scope around it fails, or a question holds the run. */
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
