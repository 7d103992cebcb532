import type { MemoryEntry, MemoryScope } from '../event/memory-entry.ts';
import { commitMillis } from '../time/commit-time.ts';
import { isApproval } from './approval.ts';
import type { RequestDefinition } from './definition.ts';

/**
 * Whether its answer may be remembered, and one that is remembered taken: never where somebody has to take it on
 * themselves, nor where a field is sensitive, whose value stays in its run.
 */
export function mayRemember(definition: RequestDefinition): boolean {
  if (definition.remember === undefined || definition.kind === 'display' || isApproval(definition)) return false;
  return !isSensitive(definition);
}

/** Whether any of its fields is. */
export function isSensitive({ fields = [] }: RequestDefinition): boolean {
  return fields.some(({ sensitive }) => sensitive === true);
}

/** Whether memory is looked at before it is asked. */
export function mayRecall(definition: RequestDefinition): boolean {
  return mayRemember(definition) && definition.recall !== false;
}

/** The memory outside the run that is to be looked at before it is asked. */
export function outsideScope(
  { session, user }: { readonly session: string | undefined; readonly user: string | undefined },
  definition: RequestDefinition,
): Exclude<MemoryScope, 'run'> | undefined {
  const scope = mayRecall(definition) ? definition.remember?.scope : undefined;
  if (scope === 'session' && session !== undefined) return scope;
  return scope === 'user' && user !== undefined ? scope : undefined;
}

/** `at`: epoch ms. */
export function isExpired({ expiresAt }: Pick<MemoryEntry, 'expiresAt'>, at: number): boolean {
  return expiresAt !== undefined && commitMillis(expiresAt) <= at;
}
