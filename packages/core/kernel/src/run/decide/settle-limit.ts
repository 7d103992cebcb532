import type { AnswerEntry } from '../../event/run-event.ts';
import type { RequestState } from '../request-state.ts';
import type { TokenPosition } from '../token.ts';
import { extendBudget, heldOperation, refuseBudget } from './budget.ts';
import { type Decider, refOf } from './decider.ts';
import { limitError, type Over } from './limit-question.ts';
import { failAtLimit, limited, route } from './route.ts';
import { extendTimeout, failAtTimeout, TIMEOUT_OP } from './run-timeout.ts';

type Limited = Extract<TokenPosition, { kind: 'limited' }>;

/** An approval goes on where the token stands; everything else fails as if nobody had been asked. */
export function settleLimit(d: Decider, request: RequestState, { action, by, note }: AnswerEntry): void {
  const goesOn = action === 'approve' || action === 'edit';
  d.emit('decision.made', {
    ...refOf(request),
    point: request.op,
    options: ['goOn', 'fail'],
    chosen: goesOn ? 'goOn' : 'fail',
    ...(note === undefined ? {} : { reason: note }),
    decidedBy: `${by.kind === 'user' ? 'human' : by.kind}:${by.id}`,
  });
  if (!goesOn) return refuseLimit(d, request);
  const held = heldOperation(d, request);
  if (held !== undefined) return extendBudget(d, request, held);
  if (request.op === TIMEOUT_OP) return extendTimeout(d, request);
  const at = standingOf(d, request);
  if (at === undefined) return;
  const { limit, value, of, outcome, wish } = at;
  const of_ = of === undefined ? {} : { of };
  d.emit('limit.extended', { ...refOf(request), limit, value, ...of_, request: request.id });
  if (outcome === undefined) return;
  route(d, {
    ...refOf(request),
    outcome,
    output: d.token(request.token).last,
    ...(wish === undefined ? {} : { wish }),
  });
}

/** Nobody lets it go on: the limit's error stands. */
export function refuseLimit(d: Decider, request: RequestState): void {
  const held = heldOperation(d, request);
  if (held !== undefined) return refuseBudget(d, request, held);
  if (request.op === TIMEOUT_OP) return failAtTimeout(d);
  const at = standingOf(d, request);
  if (at === undefined) return;
  const { token } = request;
  if (at.outcome !== undefined) return failAtLimit(d, { token, outcome: at.outcome }, overOf(at));
  d.emit('token.ended', { token, status: 'failed', error: limitError(d.token(token), overOf(at)) });
}

/** After a rollback or in a fork, in the version that rules now: questions are put anew, where a limit still stands. */
export function routeLimitedAnew(d: Decider): void {
  for (const { id, at } of [...d.run.tokens.values()]) {
    if (at.kind !== 'limited' || at.outcome === undefined) continue;
    const { node, visit, outcome, wish } = at;
    const ending = {
      token: id,
      node,
      visit,
      outcome,
      output: d.token(id).last,
      ...(wish === undefined ? {} : { wish }),
    };
    if (at.limit === 'noProgress') limited(d, ending, d.node(d.token(id), node), overOf(at));
    else route(d, ending);
  }
}

function standingOf(d: Decider, request: RequestState): Limited | undefined {
  const at = d.run.tokens.get(request.token)?.at;
  return at?.kind === 'limited' && at.node === request.node && at.visit === request.visit ? at : undefined;
}

function overOf({ limit, value, of, node }: Limited): Over {
  return { limit, value, node: of ?? node } as Over;
}
