import type { NodeRef } from '../../event/run-event.ts';
import { shortId } from '../../json/digest.ts';
import { globalKey } from '../keys.ts';
import { findRequest, type Run } from '../run.ts';

/** Derived from the journal key: the same question has the same id after a crash. */
export function requestIdOf(run: Run, ref: NodeRef, op: string, member = ''): string {
  return shortId('req_', `${globalKey(run, ref, op)}/${member}`);
}

/**
 * An operation can be in doubt more than once in a visit, and a limit be reached again: each time it is another question,
 * with an answer of its own.
 */
export function freshRequestId(run: Run, ref: NodeRef, op: string, member = ''): string {
  for (let time = 1; ; time += 1) {
    const id = requestIdOf(run, ref, op, time === 1 ? member : `${member}~${time}`);
    if (findRequest(run, id) === undefined) return id;
  }
}
