import type { NodeRef, OpRef, RunEvents, WaitData } from '../../event/run-event.ts';
import type { JsonObject } from '../../json/value.ts';
import type { Draft, Mutable } from '../draft.ts';
import { isHeldBack } from '../held-back.ts';
import { laterKey, nodeKey, opKey } from '../keys.ts';
import type { Journal, NodeExecution, OpRecord } from '../node-execution.ts';
import { lacksPlace } from '../place.ts';
import { laterOf, takenOver } from '../taken-over.ts';
import { toolOfOp } from '../tool-tally.ts';
import { reserve } from './budget-events.ts';
import type { Evolve } from './evolver.ts';
import { dropTimers } from './tokens.ts';
import { tallyEnd, tallyRefusal } from './tool-tallies.ts';

export const opIntended: Evolve<'op.intended'> = (draft, data) => {
  if (data.later) takeLater(draft, data);
  const execution = draft.execution(data);
  if (execution === undefined) return;
  const record: Mutable<OpRecord> = {
    op: data.op,
    kind: data.kind,
    digest: data.digest,
    status: 'intended',
    class: data.class,
    onDoubt: data.onDoubt,
    begun: data.class === 'once' ? draft.run.at : undefined,
    order: -1,
    wait: data.wait,
    first: data.first,
    keep: data.keep,
  };
  if (data.class === 'once' && data.request !== undefined) record.request = data.request;
  if (data.approval !== undefined) record.approval = data.approval;
  if (execution.attempt > 1) record.attempt = execution.attempt;
  draft.journal(execution).set(data.op, record);
  if (data.reserve !== undefined) reserve(draft, data, data.reserve);
  for (const wait of waitsOf(data)) if (wait.timer !== undefined) addSleep(draft, data, wait.timer);
};

/** What was done later counts once each, in order: who comes to it more often does what nobody did. */
function takeLater({ run }: Draft, { digest, ...ref }: OpRef & { readonly digest: string }, begun?: true): void {
  if (run.later === undefined) return;
  const index = run.later.ops.indexOf(laterOf(run, ref, digest, begun)!);
  if (index >= 0) run.later = { ...run.later, ops: run.later.ops.toSpliced(index, 1) };
}

function waitsOf(data: RunEvents['op.intended']): readonly WaitData[] {
  if (data.wait !== undefined) return [data.wait];
  return data.first === undefined ? [] : Object.values(data.first);
}

function addSleep(draft: Draft, ref: OpRef, at: number): void {
  const id = `${opKey(ref, ref.op)}/${at}`;
  const { token, node, visit, op } = ref;
  draft.timers().set(id, { id, at, kind: 'sleep', token, node, visit, op });
}

export const opRecorded: Evolve<'op.recorded'> = (draft, data) => {
  const { kind, digest, value, error } = data;
  if (data.late) return recordLate(draft, data, { kind, digest, value, error });
  const kept = draft.execution(data)?.journal.get(data.op)?.keep !== undefined;
  if (data.again) takeOffered(draft, data);
  if (kept)
    draft.run.doneOnce = [
      ...draft.run.doneOnce,
      { key: laterKey(data, data.op), token: data.token, digest, value, error },
    ];
  record(draft, data, { kind, digest, value, error });
};

/** Each result of the pass before is given out once, in order. */
function takeOffered(draft: Draft, data: RunEvents['op.recorded']): void {
  const key = laterKey(data, data.op);
  const index = draft.run.offered.findIndex(done => done.key === key && done.digest === data.digest);
  if (index >= 0) draft.run.offered = draft.run.offered.toSpliced(index, 1);
}

type Result = Pick<OpRecord, 'kind' | 'digest' | 'value' | 'error'>;

/** Its visit is over, and it stands where the operation was taken over to. */
function recordLate(draft: Draft, ref: OpRef, result: Result): void {
  const record = takenOver(draft.run, ref);
  const { at } = draft.token(ref.token);
  if (record === undefined) return;
  if (at.kind === 'node') return recordIn(draft, { ...ref, visit: at.visit }, result, true);
  const journal = (before: Journal): Journal =>
    new Map(before).set(ref.op, { ...record, ...result, status: 'recorded', at: draft.run.at });
  if (at.kind === 'pending' && at.adopt !== undefined)
    draft.token(ref.token).at = { ...at, adopt: { ...at.adopt, journal: journal(at.adopt.journal) } };
  if (at.kind === 'failed' && at.phase === 'node') draft.token(ref.token).at = { ...at, journal: journal(at.journal) };
}

/** Writes down an operation's result and wakes the handler that waits for it. */
export function record(draft: Draft, ref: OpRef, result: Result): void {
  recordIn(draft, ref, result, false);
}

function recordIn(draft: Draft, ref: OpRef, result: Result, late: boolean): void {
  const execution = draft.execution(ref);
  const before = execution?.journal.get(ref.op);
  const isRefused = wasRefused(result, before);
  if (result.kind === 'tool') tallyTool(draft, ref, result, isRefused);
  if (execution === undefined) return;
  const record: Mutable<OpRecord> = {
    kind: result.kind,
    digest: result.digest,
    value: result.value,
    error: result.error,
    op: ref.op,
    status: 'recorded',
    order: execution.recorded,
    at: draft.run.at,
    class: before?.class,
    wait: before?.wait,
    first: before?.first,
  };
  if (isRefused) record.refused = true;
  if (execution.attempt > 1) record.attempt = execution.attempt;
  if (before?.left !== undefined) record.left = before.left;
  if (before?.approval !== undefined) record.approval = before.approval;
  if (before?.grants !== undefined && before.adopted === undefined) record.grants = before.grants;
  if ((before?.status === 'doubted' || late) && before?.adopted !== undefined) record.adopted = before.adopted;
  draft.journal(execution).set(ref.op, record);
  execution.recorded += 1;
  execution.crashes = 0;
  if (draft.run.timers.size > 0) dropTimers(draft, ref, ref.op);
  if (before?.wait !== undefined || before?.first !== undefined) draft.token(ref.token).revision += 1;
  wake(draft, ref, execution);
}

/** What was begun has an error of its own, whatever that is called. */
function wasRefused({ error }: Result, before: OpRecord | undefined): boolean {
  const isDoneBefore = before?.status === 'recorded' && before.adopted !== undefined;
  const isBegun = before !== undefined && before.status !== 'held' && !isDoneBefore;
  return !isBegun && error?.code === 'BudgetExceeded';
}

/** What a budget kept from beginning is no failure of the tool. */
function tallyTool(draft: Draft, { op }: OpRef, { error }: Result, isRefused: boolean): void {
  if (isRefused) tallyRefusal(draft, toolOfOp(op));
  else tallyEnd(draft, toolOfOp(op), error !== undefined);
}

/** Whoever waited goes on, or is held until it may. */
function wake(draft: Draft, ref: NodeRef, execution: Mutable<NodeExecution>): void {
  if (execution.status !== 'waiting') return;
  execution.status = isHeldBack(draft.run, draft.token(ref.token)) ? 'held' : 'running';
}

export const nodeWoken: Evolve<'node.woken'> = (draft, data) => {
  const execution = draft.execution(data);
  if (execution !== undefined) execution.status = 'running';
  if (draft.run.status === 'paused' && draft.run.allowance > 0) draft.run.allowance -= 1;
};

export const opDoubted: Evolve<'op.doubted'> = (draft, data) => {
  if (data.later) takeLater(draft, data, true);
  const execution = draft.execution(data);
  const op = execution?.journal.get(data.op);
  if (execution === undefined || op === undefined) return;
  draft.journal(execution).set(data.op, { ...op, status: 'doubted' });
};

export const decisionMade: Evolve<'decision.made'> = (draft, data) => {
  if (data.op !== undefined)
    record(draft, { ...data, op: data.op }, { kind: 'decide', digest: '', value: data.chosen });
};

/** Nobody's tool: what a model makes up must not let a run grow. */
const OUTSIDE: ReadonlySet<unknown> = new Set(['unknownTool', 'notAllowed']);

/** The judgement stands in the journal: a handler that is executed again is not judged anew. */
export const toolJudged: Evolve<'tool.judged'> = (draft, data) => {
  const { op, tool, verdict, refusal, subject, args, idempotencyKey, asksBudget } = data;
  if (verdict === 'refused' && !OUTSIDE.has(refusal?.code)) tallyRefusal(draft, tool);
  const value = {
    verdict,
    ...(refusal === undefined ? {} : { refusal: refusal as unknown as JsonObject }),
    ...(subject === undefined ? {} : { subject }),
    ...(args === undefined ? {} : { args }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(asksBudget === undefined ? {} : { asksBudget }),
  };
  record(draft, { ...data, op }, { kind: 'decide', digest: '', value });
};

export const toolsChanged: Evolve<'tools.changed'> = (draft, { on, off, ...data }) => {
  record(draft, data, { kind: 'decide', digest: '', value: { on, off } });
};

export const timerFired: Evolve<'timer.fired'> = (draft, data) => {
  const timer = draft.run.timers.get(data.timer);
  draft.timers().delete(data.timer);
  if (timer?.kind !== 'retry') return;
  const execution = draft.execution(timer);
  if (execution === undefined) return;
  // A short back-off is part of the work in hand; a long one is a wait like any other.
  execution.status = execution.durable ? 'waiting' : 'running';
  wake(draft, timer, execution);
};

export const signalReceived: Evolve<'signal.received'> = (draft, data) => {
  const kept = draft.run.signals.get(data.name) ?? [];
  const signals = new Map(draft.run.signals);
  signals.set(data.name, [...kept, data.value]);
  draft.run.signals = signals;
};

export const signalConsumed: Evolve<'signal.consumed'> = (draft, data) => {
  const rest = (draft.run.signals.get(data.name) ?? []).toSpliced(data.index ?? 0, 1);
  const signals = new Map(draft.run.signals);
  if (rest.length === 0) signals.delete(data.name);
  else signals.set(data.name, rest);
  draft.run.signals = signals;
};

/** An operation that is to be done again after doubt: its intent is taken back, and an approval of before does not hold for it. */
export const opRetried: Evolve<'op.retried'> = (draft, data) => {
  const execution = draft.execution(data);
  if (execution === undefined) return;
  const journal = draft.journal(execution);
  const approval = journal.get(data.op)?.approval;
  journal.delete(data.op);
  if (approval !== undefined && journal.get(approval)?.grants === 'past') journal.delete(approval);
  wake(draft, data, execution);
};

export const nodeStuck: Evolve<'node.stuck'> = (draft, data) => {
  const execution = draft.execution(data);
  if (execution === undefined) return;
  execution.status = 'stuck';
  execution.error = data.error;
};

export const nodeUnstuck: Evolve<'node.unstuck'> = (draft, data) => {
  const execution = draft.execution(data);
  if (execution === undefined) return;
  execution.status = lacksPlace(draft.run) ? 'held' : 'running';
  execution.error = undefined;
};

export const compensationStarted: Evolve<'compensation.started'> = ({ run }, data) => {
  if (run.compensating === undefined) return;
  const { token, node, visit } = data;
  run.compensating = { ...run.compensating, running: { token, node, visit }, attempt: run.compensating.attempt + 1 };
};

export const compensationFinished: Evolve<'compensation.finished'> = ({ run }, data) => {
  if (run.compensating === undefined) return;
  const key = nodeKey(data as NodeRef);
  const { token, node, visit, error, final } = data;
  const failures =
    error === undefined || !final
      ? run.compensating.failures
      : [...run.compensating.failures, { token, node, visit, error }];
  run.compensating = {
    ...run.compensating,
    running: undefined,
    failures,
    attempt: final || error === undefined ? 0 : run.compensating.attempt,
  };
  if (error === undefined || final) run.compensations = run.compensations.filter(entry => nodeKey(entry) !== key);
};
