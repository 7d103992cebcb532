import type { RequestDefinition } from './definition.ts';

/** How many persons must approve. */
export function quorumOf({ quorum = 1 }: Pick<RequestDefinition, 'quorum'>): number {
  return quorum;
}

/** Somebody has to take it on themselves: a default never does, be it at the deadline or in a run that nobody attends. */
export function isApproval(definition: RequestDefinition): boolean {
  const { kind, gap, subject, fourEyes = false } = definition;
  return kind === 'confirmation' || gap === 'approval' || subject !== undefined || fourEyes || quorumOf(definition) > 1;
}
