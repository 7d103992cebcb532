import type { AnswerEntry, OpKind, OpRef } from '../../event/run-event.ts';
import { opKey } from '../keys.ts';
import type { OpRecord } from '../node-execution.ts';
import type { RequestState } from '../request-state.ts';
import type { LaterOp } from '../run.ts';
import { laterOf } from '../taken-over.ts';
import { bindings } from './bindings.ts';
import { spend } from './budget.ts';
import { cancelNode } from './cancel-token.ts';
import { type Decider, errorData, refOf } from './decider.ts';
import { doubtQuestion, knownEnd, parsedResult } from './doubt-question.ts';
import { openRequest } from './open-request.ts';
import { adHocRequest } from './request-of.ts';

export interface DoubtOptions {
  /** It is known to have been begun elsewhere, so it is not tried again by itself. */
  readonly mustAsk?: boolean;
  /** Its handler executes: it waits for the word by itself, and says so once nothing else is left for it to do. */
  readonly live?: boolean;
  /** What it was beyond the point of a fork or rollback, where it is begun again. */
  readonly later?: LaterOp;
}

/**
 * A `once` operation was begun and nobody recorded how it ended (design 4.6), be it that its driver died or that it took
 * too long: it is tried again with its key where that was declared, failed, or put to a human. Nothing is done twice by
 * itself.
 */
export function doubt(d: Decider, ref: OpRef, options: DoubtOptions = {}): void {
  const at = d.run.tokens.get(ref.token)?.at;
  const record = at?.kind === 'node' && d.isAt(ref) ? at.journal.get(ref.op) : undefined;
  if (record?.status !== 'intended') return;
  const later = record.adopted === undefined ? undefined : laterOf(d.run, ref, record.digest, true);
  d.emit('op.doubted', {
    ...refOf(ref),
    op: ref.op,
    digest: record.digest,
    ...(later === undefined ? {} : { later: true as const }),
  });
  // However it ended, it may have spent it all; how long a person takes to say so is nothing that it took.
  spend(d, ref, undefined);
  if (d.run.status === 'cancelling')
    return options.live === true ? undefined : cancelNode(d, ref, 'cancelled', { keepToken: false });
  const { effects } = d.run.later ?? {};
  if (later !== undefined && effects === 'recorded' && later.unknown === undefined)
    return recordAgain(d, ref, record.kind, later);
  if ((later !== undefined && effects === 'live') || mayRetry(record, options))
    return d.emit('op.retried', { ...refOf(ref), op: ref.op });
  // A run that may not ask, or that nobody attends, must not wait for a word on it.
  if (record.onDoubt === 'fail' || d.run.decisions !== 'on') return giveUp(d, ref, record);
  const token = d.token(ref.token);
  const see = bindings({ run: d.run, token, graph: d.graphOf(token), at: d.at, output: token.last });
  openRequest(d, ref, {
    op: ref.op,
    compiled: adHocRequest(doubtQuestion(d.run, ref, record, options.later ?? later)).compiled,
    see,
    ofNode: false,
    about: 'doubt',
    member: 'doubt',
  });
  if (options.live !== true && d.isAt(ref)) d.emit('node.suspended', { ...refOf(ref), ops: [ref.op] });
}

/** Another visit has another key, so who knows the first one would not know that it is the same again. */
function mayRetry({ onDoubt, adopted }: OpRecord, { mustAsk }: DoubtOptions): boolean {
  return onDoubt === 'retry' && mustAsk !== true && adopted === undefined;
}

/** What was done in the pass before, or beyond the point of a fork or rollback, is not done but taken as the result. */
export function recordAgain(d: Decider, ref: OpRef, kind: OpKind, { digest, value, error }: LaterOp): void {
  d.emit('op.recorded', {
    ...refOf(ref),
    op: ref.op,
    kind,
    digest,
    ...(value === undefined ? {} : { value }),
    ...(error === undefined ? {} : { error }),
    again: true,
  });
}

/** How it ended is known after all, so nobody has to say. */
export function closeDoubt(d: Decider, ref: OpRef): void {
  if (d.run.requests.size === 0) return;
  const key = opKey(ref, ref.op);
  for (const request of [...d.run.requests.values()])
    if (request.about === 'doubt' && opKey(request, request.op) === key)
      d.emit('request.withdrawn', { request: request.id, reason: 'superseded' });
}

function giveUp(d: Decider, ref: OpRef, { kind, digest }: OpRecord): void {
  const error = errorData('InDoubt', `Nobody knows whether "${ref.op}" happened; it counts as failed.`, {
    permanent: true,
  });
  d.emit('op.recorded', { ...refOf(ref), op: ref.op, kind, digest, error });
}

export function settleDoubt(d: Decider, request: RequestState, entry: AnswerEntry): void {
  const ref: OpRef = { ...refOf(request), op: request.op };
  const at = d.run.tokens.get(ref.token)?.at;
  const record = at?.kind === 'node' && d.isAt(ref) ? at.journal.get(ref.op) : undefined;
  if (record === undefined) return;
  const outcome = entry.values?.outcome;
  if (outcome === 'done')
    return d.emit('op.recorded', {
      ...ref,
      kind: record.kind,
      digest: record.digest,
      value: parsedResult(entry.values?.result),
    });
  if (outcome === 'recorded') {
    const { kind, digest } = record;
    return d.emit('op.recorded', { ...ref, kind, digest, ...knownEnd(request), again: true });
  }
  if (outcome === 'repeat') return d.emit('op.retried', ref);
  giveUp(d, ref, record);
}
