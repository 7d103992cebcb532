import type { NodeRef } from '../../event/run-event.ts';
import { shortId } from '../../json/digest.ts';
import { globalKey } from '../keys.ts';
import { findRequest, type Run } from '../run.ts';
import { KNOWS_LATEST_REQUESTS_ONLY } from './semantics.ts';

/** Derived from the journal key: the same question has the same id after a crash. */
export function requestIdOf(run: Pick<Run, 'id' | 'generation'>, ref: NodeRef, op: string, member = ''): string {
  return shortId('req_', `${globalKey(run, ref, op)}/${member}`);
}

/** A question that an operation puts; put again at another attempt it is another one, with an answer of its own. */
export function questionId(run: Run, ref: NodeRef, op: string, member = ''): string {
  const at = run.tokens.get(ref.token)?.at;
  const isFirst = at?.kind !== 'node' || at.attempt === 1;
  const id = requestIdOf(run, ref, op, member);
  return isFirst && findRequest(run, id) === undefined ? id : nextRequestId(run, ref, op, member);
}

/** An operation can be in doubt more than once in a visit, and a limit be reached again: each time it is another question. */
export function nextRequestId(run: Run, ref: NodeRef, op: string, member = ''): string {
  if (run.semantics >= KNOWS_LATEST_REQUESTS_ONLY) return requestIdOf(run, ref, op, `${member}@${run.seq}`);
  for (let time = 1; ; time += 1) {
    const id = requestIdOf(run, ref, op, time === 1 ? member : `${member}~${time}`);
    if (findRequest(run, id) === undefined) return id;
  }
}
