import type { ErrorData, LimitName, NodeRef, Wish } from '../../event/run-event.ts';
import type { LimitQuestion, Outcome } from '../../graph/definition.ts';
import type { RequestDefinition } from '../../request/definition.ts';
import { parseDuration } from '../../time/duration.ts';
import type { Token } from '../token.ts';
import { offerToService } from './claims.ts';
import { type Decider, errorData, lastNodes, refOf } from './decider.ts';
import { nextRequestId } from './request-id.ts';

/** The limit that is reached, and the node that would be started, or that does not get on. */
export interface Over {
  readonly node: string;
  readonly limit: Extract<LimitName, 'maxVisits' | 'maxSuccessive' | 'noProgress' | 'maxSteps'>;
  readonly value: number;
}

/** Where the token stands meanwhile: before `node`, or after it had ended with that outcome. */
type Standing = NodeRef & { readonly outcome?: Outcome; readonly wish?: Wish };

/**
 * Puts the question of a limit where one is declared and the run may ask; false where it is to fail. What was parked
 * below is closed before: whoever asked for that route has dealt with it.
 */
export function askAtLimit(d: Decider, standing: Standing, over: Over, close = () => {}): boolean {
  const token = d.token(standing.token);
  const question =
    over.limit === 'maxSteps' ? d.graphOf(token).limits.question : d.node(token, over.node).limitQuestion;
  if (question === undefined || d.run.decisions !== 'on') return false;
  close();
  const { outcome, wish } = standing;
  d.emit('limit.reached', {
    ...refOf(standing),
    limit: over.limit,
    value: over.value,
    ...(over.node === standing.node ? {} : { of: over.node }),
    stands: { ...(outcome === undefined ? {} : { outcome }), ...(wish === undefined ? {} : { wish }) },
  });
  const nodes = lastNodes(token);
  const { limit, node, value } = over;
  const context = { limit, node, value, reached: reachedOf(d, token, over), nodes };
  openLimitQuestion(d, standing, { question, limit, what: whatIs(over), context });
  return true;
}

export interface LimitAsking {
  readonly question: LimitQuestion;
  readonly limit: LimitName;
  /** `Limit maxVisits = 3 of node "tick"`. */
  readonly what: string;
  readonly context: RequestDefinition['context'];
  readonly hold?: 'run';
}

export function openLimitQuestion(d: Decider, ref: NodeRef, asking: LimitAsking): void {
  const { title, message, assignees, deadline } = asking.question;
  const op = `limit:${asking.limit}`;
  const definition: RequestDefinition = {
    kind: 'confirmation',
    title: title ?? `${asking.what} is reached. Go on?`,
    ...(message === undefined ? {} : { message }),
    gap: 'constraint',
    purpose: 'An approval lets it go on with the same allowance again; a rejection fails it with LimitReached.',
    ...(asking.context === undefined ? {} : { context: asking.context }),
    actions: { approve: 'Go on', reject: 'Stop' },
    ...(assignees === undefined ? {} : { assignees }),
    ...(deadline === undefined ? {} : { deadline: { ...deadline, onExpire: deadline.onExpire ?? 'fail' } }),
  };
  const request = nextRequestId(d.run, ref, op);
  d.emit('request.opened', {
    ...refOf(ref),
    op,
    request,
    kind: definition.kind,
    definition,
    ...(deadline === undefined ? {} : { deadline: d.at + parseDuration(deadline.after) }),
    about: 'limit',
    ...(asking.hold === undefined ? {} : { hold: asking.hold }),
  });
  offerToService(d, request);
}

function whatIs({ limit, node, value }: Over): string {
  return `Limit ${limit} = ${value} ${limit === 'maxSteps' ? 'before' : 'of'} node "${node}"`;
}

/** All allowances together; of steps those along the token's path. */
function reachedOf(d: Decider, token: Token, { limit, node, value }: Over): number {
  if (limit === 'maxSteps') return token.steps;
  return limit === 'maxVisits' ? (d.scope(token.scope).visits[node] ?? value) : value;
}

export function limitError(token: Token, { limit, node, value }: Over): ErrorData {
  const nodes = lastNodes(token);
  const what = limit === 'maxSteps' ? `is reached before node "${node}"` : `of node "${node}" is reached`;
  const message = `Limit ${limit} = ${value} ${what}; the last nodes were ${nodes.join(' → ')}.`;
  return errorData('LimitReached', message, { details: { limit, node, value, nodes } });
}
