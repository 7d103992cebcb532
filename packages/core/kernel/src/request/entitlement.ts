import { SignalboxError } from '../error/error.ts';
import type { Principal } from '../event/commit.ts';
import { isSamePerson, mayAnswer, namesOf, parsePrincipal } from '../event/principal.ts';

/** Who wants to answer. `roles` as the identity port told them; absent: not known, and the caller vouches for them. */
export interface Answerer {
  readonly by: Principal;
  readonly roles?: readonly string[] | undefined;
}

/** Whom a question is for, and whom it is not. */
export interface Asked {
  readonly request: string;
  readonly assignees: readonly string[];
  /** With four eyes: whose request it is. */
  readonly excluded: readonly Principal[];
}

const ROLE = 'role:';

/** Why somebody may not answer, or claim; undefined when they may. Order and reasons: docs/design/decision-requests.md. */
export function notEntitled({ by, roles }: Answerer, asked: Asked): SignalboxError | undefined {
  const { kind, onBehalfOf } = by;
  if (!mayAnswer(by)) {
    const whose = onBehalfOf === undefined ? '' : ` on behalf of ${onBehalfOf}`;
    return new SignalboxError('NotEntitled', `A ${kind}${whose} can never answer a request.`);
  }
  const details = { request: asked.request, assignees: asked.assignees };
  if (!isAsked({ by, roles }, asked.assignees))
    return new SignalboxError('NotAssigned', `This is asked of ${asked.assignees.join(', ')}.`, { details });
  if (asked.excluded.some(person => isSamePerson(person, by)))
    return new SignalboxError('FourEyes', 'Whoever asked for this cannot answer it.', {
      hint: 'Somebody else has to.',
      details: { request: asked.request },
    });
  return undefined;
}

function isAsked({ by, roles }: Answerer, assignees: readonly string[]): boolean {
  if (assignees.length === 0) return true;
  const names = namesOf(by);
  return assignees.some(assignee =>
    assignee.startsWith(ROLE)
      ? roles === undefined || roles.includes(assignee.slice(ROLE.length))
      : names.includes(assignee),
  );
}

/** A principal named as text, such as `user:finn`. */
export function namedPrincipal(text: string): Principal {
  return parsePrincipal(text) as Principal;
}
