import type { Outcome } from '../../graph/definition.ts';
import type { JsonObject } from '../../json/value.ts';
import { CHECK_PREFIX } from '../keys.ts';
import type { RequestState } from '../request-state.ts';
import { type Decider, refOf } from './decider.ts';
import { succeed } from './finish.ts';
import { memberOf, resolveOp } from './waits.ts';

/**
 * Lets a node go on whose question is closed, answered or not. In a parked scope that is recorded all the same; `settle` lets
 * nothing start there.
 */
export function goOnWith(d: Decider, request: RequestState, output: JsonObject, outcome: Outcome): void {
  if (!d.isAt(request)) return;
  const ref = refOf(request);
  const token = d.token(request.token);
  if (d.node(token, request.node).definition.type === 'ask' && !isOfCheck(request))
    return succeed(d, ref, { output, outcome });
  const record = token.at.kind === 'node' ? token.at.journal.get(request.op) : undefined;
  if (record === undefined || record.status === 'recorded') return;
  const member = memberOf(record, wait => wait.request === request.id);
  resolveOp(d, ref, request.op, output, member);
}

/** A check has asked whether the node may begin, and reads the answer itself. */
function isOfCheck({ op }: RequestState): boolean {
  return op.startsWith(CHECK_PREFIX);
}
