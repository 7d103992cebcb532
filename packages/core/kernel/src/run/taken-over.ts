import type { OpRef } from '../event/run-event.ts';
import { laterKey } from './keys.ts';
import type { Adoption, OpRecord } from './node-execution.ts';
import type { LaterOp, Run } from './run.ts';

/**
 * The `once` operation of a visit that its token has left, where it was taken over before its end was known; undefined
 * when nobody took it over, or when it is settled.
 */
export function takenOver(run: Run, ref: OpRef): OpRecord | undefined {
  const adoption = adoptionOf(run, ref);
  const record = adoption?.journal.get(ref.op);
  if (record?.class !== 'once' || record.status === 'recorded') return undefined;
  return (record.from ?? adoption?.visit) === ref.visit ? record : undefined;
}

function adoptionOf(run: Run, ref: OpRef): Adoption | undefined {
  const at = run.tokens.get(ref.token)?.at;
  if (at === undefined || !('node' in at) || at.node !== ref.node) return undefined;
  if (at.kind === 'pending') return at.adopt;
  return at.kind === 'node' || (at.kind === 'failed' && at.phase === 'node') ? at : undefined;
}

/** What became of it beyond the point of a fork or rollback; `begun`: of one that was begun before that point. */
export function laterOf(run: Run, ref: OpRef, digest: string, begun?: true): LaterOp | undefined {
  if (run.later === undefined) return undefined;
  const key = laterKey(ref, ref.op);
  return run.later.ops.find(done => done.key === key && done.digest === digest && done.begun === begun);
}
