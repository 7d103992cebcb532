import type { Run } from '../run.ts';
import type { Token } from '../token.ts';

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
