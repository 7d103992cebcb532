import { isSignalboxError, SignalboxError } from '../../error/error.ts';
import type { MemoryEntry } from '../../event/memory-entry.ts';
import type { NodeRef, OpRef, RunEvents } from '../../event/run-event.ts';
import type { Program } from '../../graph/program.ts';
import { isJsonObject } from '../../json/value.ts';
import type { RequestDefinition } from '../../request/definition.ts';
import { checkSchemaShape } from '../../schema/check-json-schema.ts';
import { stateObject } from '../../state/cell.ts';
import type { FirstMember, OpReport, TaskEnd } from '../command.ts';
import type { Mutable } from '../draft.ts';
import { laterKey } from '../keys.ts';
import { laterOf, takenOver } from '../taken-over.ts';
import { type Bindings, bindings } from './bindings.ts';
import { accountsFor, afford, spend } from './budget.ts';
import { cancelNode } from './cancel-token.ts';
import { type Decider, errorData, refOf } from './decider.ts';
import { closeDoubt, doubt, recordAgain } from './doubt.ts';
import { pass } from './enter.ts';
import { checkedOutput, fail, scheduleRetry, skip, succeed } from './finish.ts';
import { askOrRecall } from './recall.ts';
import { madeUpRequest } from './request-of.ts';
import { UNDOES_WHAT_ENDS_WHILE_CANCELLING } from './semantics.ts';
import { toDecision } from './to-decision.ts';
import { type Awaited, openFirst, openWait, wakeTime } from './waits.ts';

/**
 * Takes over what happened inside a handler. A node that is no longer where the report says is left alone, but for what
 * it did once and another visit has taken over.
 */
export function report(d: Decider, ref: NodeRef, ops: readonly OpReport[], end: TaskEnd | undefined): void {
  for (const op of ops) {
    if (d.isAt(ref)) reportOp(d, ref, op);
    else if (op.type === 'record') recordLate(d, { ...refOf(ref), op: op.op }, op);
  }
  if (end === undefined || !d.isAt(ref)) return;
  if (d.run.status === 'cancelling') return endCancelled(d, ref, end);
  reportEnd(d, ref, end);
}

/** Of a run that has failed only how a `once` operation ended still counts: a retry takes it over. */
export function reportLate(d: Decider, ref: NodeRef, ops: readonly OpReport[]): void {
  if (d.run.status !== 'failed') return;
  for (const op of ops) if (op.type === 'record') recordLate(d, { ...refOf(ref), op: op.op }, op);
}

function recordLate(d: Decider, ref: OpRef, report: Extract<OpReport, { type: 'record' }>): void {
  if (takenOver(d.run, ref) === undefined) return;
  const { type: _type, usage: _counted, ...data } = report;
  d.emit('op.recorded', { ...ref, ...data, late: true });
  const { at } = d.token(ref.token);
  if (at.kind === 'node') closeDoubt(d, { ...ref, visit: at.visit });
}

/** It changes no state and leads nowhere, but what it has done is undone with the rest where that is asked for. */
function endCancelled(d: Decider, ref: NodeRef, end: TaskEnd): void {
  const token = d.token(ref.token);
  const node = d.node(token, ref.node);
  const isOwn = token.at.kind === 'node' && token.at.fallback === undefined;
  const undo = end.type === 'success' && node.compensate === undefined ? end.undo : undefined;
  const canUndo = node.compensate !== undefined || undo !== undefined;
  const isUndone = d.run.cancelling?.compensate === true && canUndo && isOwn;
  if (!isUndone || end.type !== 'success' || d.run.semantics < UNDOES_WHAT_ENDS_WHILE_CANCELLING)
    return cancelNode(d, ref, 'cancelled', { keepToken: false });
  const output = checkedOutput(node, end.output);
  cancelNode(d, ref, 'cancelled', {
    keepToken: false,
    ...('error' in output ? {} : { done: { output: output.value, ...(undo === undefined ? {} : { undo }) } }),
  });
}

function reportOp(d: Decider, ref: NodeRef, op: OpReport): void {
  if (isThere(d, ref, op)) return;
  switch (op.type) {
    case 'intend':
      return intend(d, ref, op);
    case 'record':
      return recordOp(d, ref, op);
    case 'afford':
      return d.run.status === 'cancelling' ? undefined : afford(d, ref, op);
    case 'judge': {
      const { type: _type, ...data } = op;
      return d.emit('tool.judged', { ...refOf(ref), ...data });
    }
    case 'tools': {
      const { type: _type, ...data } = op;
      return d.emit('tools.changed', { ...refOf(ref), ...data });
    }
    case 'doubt':
      return doubt(d, { ...refOf(ref), op: op.op }, { live: true });
    case 'decide':
      return decided(d, ref, op);
    case 'refresh':
      return d.emit('op.recorded', {
        ...refOf(ref),
        op: op.op,
        kind: 'refresh',
        digest: '',
        value: { ...stateObject(d.token(ref.token).state) },
      });
    default:
      if (d.run.status === 'cancelling') return;
      return openFromHandler(d, ref, op);
  }
}

function recordOp(d: Decider, ref: NodeRef, op: Extract<OpReport, { type: 'record' }>): void {
  const { token, node, visit } = ref;
  const opRef: OpRef = { token, node, visit, op: op.op };
  spend(d, opRef, op.usage);
  const data: Mutable<RunEvents['op.recorded']> = { ...opRef, kind: op.kind, digest: op.digest };
  if (op.value !== undefined) data.value = op.value;
  if (op.error !== undefined) data.error = op.error;
  if (op.attempts !== undefined) data.attempts = op.attempts;
  d.emit('op.recorded', data);
  closeDoubt(d, opRef);
}

function decided(d: Decider, ref: NodeRef, { op, decision, answer }: Extract<OpReport, { type: 'decide' }>): void {
  try {
    d.emit('decision.made', { ...toDecision(decision), ...deciderOf(d, ref, answer), ...refOf(ref), op });
  } catch (error) {
    if (!isSignalboxError(error)) throw error;
    fail(d, ref, errorData(error.code, error.message, { permanent: true }), { retry: false });
  }
}

/** That a person decided only the recorded answer of that person can say. */
function deciderOf(d: Decider, { token }: NodeRef, answer: string | undefined): { readonly decidedBy?: string } {
  const { at } = d.token(token);
  const value = answer === undefined || at.kind !== 'node' ? undefined : at.journal.get(answer)?.value;
  const by = isJsonObject(value) && isJsonObject(value.by) ? value.by : undefined;
  return by === undefined ? {} : { decidedBy: `${by.kind === 'user' ? 'human' : by.kind}:${by.id}` };
}

/** Nothing is recorded twice, and nothing asked twice; only what a retry took over may be done anew. */
function isThere(d: Decider, ref: NodeRef, op: OpReport): boolean {
  if (op.type === 'doubt') return false;
  const { at } = d.token(ref.token);
  const known = at.kind === 'node' ? at.journal.get(op.op) : undefined;
  if (known === undefined || known.adopted !== undefined) return false;
  return known.status === 'recorded' || op.type !== 'record';
}

type Opening = Extract<OpReport, { type: 'ask' | 'sleep' | 'signal' | 'first' }>;

function openFromHandler(d: Decider, ref: NodeRef, report: Opening): void {
  const { op, digest } = report;
  const token = d.token(ref.token);
  const see: Bindings = bindings({ run: d.run, token, graph: d.graphOf(token), at: d.at, output: token.last });
  try {
    switch (report.type) {
      case 'ask':
        return askOrRecall(
          d,
          ref,
          { op, compiled: madeUpRequest(report.request), see, ofNode: false, digest, grants: report.grants },
          report.recalled,
        );
      case 'sleep':
        return openWait(d, ref, { op, kind: 'sleep', digest, see, awaited: awaitedOf(d, ref, report.until) });
      case 'signal':
        return openWait(d, ref, { op, kind: 'signal', digest, see, awaited: signalOf(report) });
      case 'first': {
        if (Object.keys(report.of).length === 0)
          throw new SignalboxError('InvalidWait', 'The first of nothing never comes.');
        const of = new Map(Object.entries(report.of).map(([name, member]) => [name, awaitedOf(d, ref, member)]));
        return openFirst(d, ref, { op, digest, of, see });
      }
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const code = isSignalboxError(error) && error.code === 'InvalidRequest' ? 'InvalidRequest' : 'InvalidWait';
    d.emit('op.recorded', {
      ...refOf(ref),
      op,
      kind: report.type,
      digest,
      error: errorData(code, message, { permanent: true }),
    });
  }
}

function signalOf({ name, schema }: { readonly name: unknown; readonly schema?: unknown }): Awaited {
  if (typeof name !== 'string' || name === '') throw new SignalboxError('InvalidWait', 'The name of a signal is text.');
  if (schema === undefined) return { kind: 'signal', signal: name };
  const [fault] = isJsonObject(schema)
    ? checkSchemaShape(schema, '').filter(({ severity }) => severity === 'error')
    : [];
  if (isJsonObject(schema) && fault === undefined) return { kind: 'signal', signal: name, schema };
  const told = fault === undefined ? 'it is no object' : `${fault.pointer || '/'}: ${fault.message}`;
  throw new SignalboxError('InvalidWait', `The schema of the signal "${name}" is no JSON Schema: ${told}`);
}

const KINDS_OF_WAIT = ['for', 'until', 'when', 'signal', 'ask'];

function awaitedOf(d: Decider, ref: NodeRef, member: FirstMember): Awaited {
  const keys = isJsonObject(member) ? Object.keys(member).filter(key => key !== 'schema' || !('signal' in member)) : [];
  if (!isJsonObject(member) || keys.length !== 1 || !KINDS_OF_WAIT.some(kind => kind in member))
    throw new SignalboxError('InvalidWait', `A wait is for one of ${KINDS_OF_WAIT.join(', ')}.`);
  if ('signal' in member) return signalOf({ name: member.signal, schema: member.schema });
  if ('when' in member) return { kind: 'when', when: member.when };
  if ('ask' in member) return { kind: 'ask', request: madeUpRequest(member.ask as RequestDefinition) };
  return { kind: 'timer', at: wakeTime(member, d.at, d.graphOf(d.token(ref.token)).zone) };
}

/**
 * A `once` operation that was done beyond the point of a fork or rollback is not silently done again (design 4.12). One that is
 * not begun now, since its result is known or a person is asked, spends nothing.
 */
function intend(d: Decider, ref: NodeRef, op: Extract<OpReport, { type: 'intend' }>): void {
  if (d.run.status === 'cancelling') return;
  const once = op.class === 'once';
  const opRef: OpRef = { token: ref.token, node: ref.node, visit: ref.visit, op: op.op };
  const before = once
    ? d.run.offered.find(done => done.key === laterKey(ref, op.op) && done.digest === op.digest)
    : undefined;
  const later = once && before === undefined ? laterOf(d.run, opRef, op.digest) : undefined;
  const effects = later === undefined ? 'live' : (d.run.later?.effects ?? 'live');
  const isBegun = before === undefined && effects === 'live';
  const accounts = isBegun ? accountsFor(d, ref, op) : [];
  if (accounts === undefined) return;
  const data: Mutable<RunEvents['op.intended']> = { ...opRef, kind: op.kind, digest: op.digest, class: op.class };
  if (op.onDoubt !== undefined) data.onDoubt = op.onDoubt;
  if (once && mayRestart(d.program)) data.keep = true;
  if (later !== undefined) data.later = true;
  if (op.request !== undefined) data.request = op.request;
  if (op.reserve !== undefined && isBegun) data.reserve = { amounts: op.reserve, accounts };
  if (op.approval !== undefined) data.approval = op.approval;
  d.emit('op.intended', data);
  if (before !== undefined) return recordAgain(d, opRef, op.kind, before);
  if (later === undefined || isBegun) return;
  if (effects === 'recorded' && later.unknown === undefined) return recordAgain(d, opRef, op.kind, later);
  doubt(d, opRef, { mustAsk: true, later });
}

const restarting = new WeakMap<Program, boolean>();

/** Whether anything in the version may restart: only then is what was done once worth keeping. */
function mayRestart(program: Program): boolean {
  let may = restarting.get(program);
  if (may === undefined) {
    may = [...program.graphs.values()].some(graph => [...graph.nodes.values()].some(node => node.restartTarget));
    restarting.set(program, may);
  }
  return may;
}

function reportEnd(d: Decider, ref: NodeRef, end: TaskEnd): void {
  switch (end.type) {
    case 'success': {
      const at = d.token(ref.token).at;
      const fallback = at.kind === 'node' ? at.fallback : undefined;
      const degraded = fallback === undefined ? undefined : { by: fallback.node, error: fallback.error };
      const { output, updates, wish, session, undo } = end;
      return succeed(d, ref, { output, updates, wish, session, degraded, undo });
    }
    case 'recalled':
      return looked(d, ref, end.entry);
    case 'failed':
      return fail(d, ref, end.error, { retry: end.retry, lastGood: end.lastGood });
    case 'passed':
      return pass(d, ref);
    case 'skipped':
      return skip(d, ref, end.reason, end.output);
    case 'retry':
      return retryLater(d, ref, end);
    case 'suspended':
      return suspend(d, ref, end);
    case 'mismatch':
      return d.emit('node.stuck', { ...refOf(ref), error: end.error });
    case 'cancelled':
      return fail(d, ref, errorData('Cancelled', `Node "${ref.node}" was broken off.`), { retry: false });
  }
}

/** A node that asks had memory looked at: it has its answer, or puts its question now. */
function looked(d: Decider, ref: NodeRef, entry: MemoryEntry | undefined): void {
  const token = d.token(ref.token);
  const { request } = d.node(token, ref.node);
  if (request === undefined) return;
  const see = bindings({ run: d.run, token, graph: d.graphOf(token), at: d.at, output: token.last });
  askOrRecall(d, ref, { op: 'ask#1', compiled: request, see, ofNode: true }, entry);
  if (d.isAt(ref)) d.emit('node.suspended', { ...refOf(ref), ops: ['ask#1'] });
}

/** A handler that asks for another attempt gets it within its policy; without one, up to three in all. */
function retryLater(d: Decider, ref: NodeRef, end: Extract<TaskEnd, { type: 'retry' }>): void {
  const token = d.token(ref.token);
  if (token.at.kind !== 'node') return;
  const node = d.node(token, ref.node);
  const { attempt } = token.at;
  const error = errorData('RetryAsked', end.reason ?? `"${ref.node}" asked for another attempt.`);
  if (attempt >= (node.retry?.attempts ?? 3)) return fail(d, ref, error, { retry: false });
  scheduleRetry(d, ref, node, attempt, error, end.after);
}

/** Nothing to suspend for when what it waited for has come meanwhile: the handler runs again. */
function suspend(d: Decider, ref: NodeRef, end: Extract<TaskEnd, { type: 'suspended' }>): void {
  const { type: _type, ...data } = end;
  const { ops } = data;
  const at = d.token(ref.token).at;
  if (at.kind !== 'node') return;
  const open = ops.every(op => at.journal.get(op)?.status !== 'recorded' && at.journal.has(op));
  if (open) d.emit('node.suspended', { ...refOf(ref), ...data });
}
