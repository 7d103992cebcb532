import type { NodeRef, WaitData } from '../../event/run-event.ts';
import type { Expression } from '../../expression/expression.ts';
import type { CompiledNode, CompiledRequest, CompiledWait } from '../../graph/program.ts';
import type { JsonObject, JsonValue } from '../../json/value.ts';
import { parseDuration } from '../../time/duration.ts';
import { parseInstant } from '../../time/instant.ts';
import type { NodeExecution, OpRecord } from '../node-execution.ts';
import { type Bindings, bindings } from './bindings.ts';
import { type Decider, errorData, refOf } from './decider.ts';
import { fail, succeed } from './finish.ts';
import { takeKept } from './kept-signals.ts';
import { openRequest } from './open-request.ts';
import { questionId } from './request-id.ts';
import { adHocCondition } from './request-of.ts';

/** The operation of a `wait` node; a handler's have names of their own. */
export const WAIT_OP = 'wait#1';

/** One thing to wait for, with times already resolved. */
export type Awaited =
  | { readonly kind: 'timer'; readonly at: number }
  | { readonly kind: 'signal'; readonly signal: string; readonly schema?: JsonObject }
  | { readonly kind: 'when'; readonly when: string }
  | { readonly kind: 'ask'; readonly request: CompiledRequest };

/** A duration from `from`, or a time; local times are read in `zone`. Throws `InvalidDuration`, `InvalidInstant`. */
export function wakeTime(
  until: { readonly for: string } | { readonly until: string },
  from: number,
  zone: string,
): number {
  return 'for' in until ? from + parseDuration(until.for) : parseInstant(until.until, zone);
}

export function openWaitNode(d: Decider, ref: NodeRef, node: CompiledNode, see: Bindings): void {
  const { wait } = node;
  if (wait === undefined) return;
  if (wait.kind !== 'first') {
    const awaited = awaitedOf(d, ref, wait, see);
    if ('error' in awaited) return fail(d, ref, errorData('ConditionError', awaited.error, { permanent: true }));
    return openWait(d, ref, {
      op: WAIT_OP,
      kind: wait.kind === 'signal' ? 'signal' : 'sleep',
      digest: '',
      awaited,
      see,
    });
  }
  const of = new Map<string, Awaited>();
  for (const [name, member] of wait.of) {
    const awaited = awaitedOf(d, ref, member, see);
    if ('error' in awaited) return fail(d, ref, errorData('ConditionError', awaited.error, { permanent: true }));
    of.set(name, awaited);
  }
  openFirst(d, ref, { op: WAIT_OP, digest: '', of, see });
}

function awaitedOf(
  d: Decider,
  ref: NodeRef,
  wait: Exclude<CompiledWait, { kind: 'first' }>,
  see: Bindings,
): Awaited | { readonly error: string } {
  switch (wait.kind) {
    case 'signal':
      return { kind: 'signal', signal: wait.signal, ...(wait.schema === undefined ? {} : { schema: wait.schema }) };
    case 'when':
      return { kind: 'when', when: wait.when.source };
    case 'ask':
      return { kind: 'ask', request: wait.request };
    default: {
      const filled = wait.time.fill(see);
      if (!filled.ok) return { error: filled.reason };
      try {
        const text = String(filled.value);
        const zone = d.graphOf(d.token(ref.token)).zone;
        return { kind: 'timer', at: wakeTime(wait.kind === 'for' ? { for: text } : { until: text }, d.at, zone) };
      } catch (error) {
        return { error: error instanceof Error ? error.message : String(error) };
      }
    }
  }
}

export interface SingleWait {
  readonly op: string;
  readonly kind: 'sleep' | 'signal';
  readonly digest: string;
  readonly awaited: Awaited;
  readonly see: Bindings;
}

export function openWait(d: Decider, ref: NodeRef, single: SingleWait): void {
  const { op, kind, digest, awaited } = single;
  d.emit('op.intended', { ...refOf(ref), op, kind, digest, wait: waitData(awaited) });
  const now = already(d, ref, awaited);
  if (now !== undefined) resolveOp(d, ref, op, now.value);
}

export interface FirstWait {
  readonly op: string;
  readonly digest: string;
  readonly of: ReadonlyMap<string, Awaited>;
  readonly see: Bindings;
}

/** Whatever is there already wins at once, in declared order; else everything is opened together. */
export function openFirst(d: Decider, ref: NodeRef, first: FirstWait): void {
  const { op, digest, of, see } = first;
  for (const [name, awaited] of of) {
    const now = already(d, ref, awaited);
    if (now === undefined) continue;
    d.emit('op.recorded', { ...refOf(ref), op, kind: 'first', digest, value: { winner: name, value: now.value } });
    return ended(d, ref, op, { winner: name, value: now.value });
  }
  const waits: Record<string, WaitData> = {};
  for (const [name, awaited] of of)
    waits[name] = awaited.kind === 'ask' ? { request: questionId(d.run, ref, op, name) } : waitData(awaited);
  d.emit('op.intended', { ...refOf(ref), op, kind: 'first', digest, first: waits });
  for (const [name, awaited] of of) {
    if (awaited.kind !== 'ask') continue;
    openRequest(d, ref, { op, compiled: awaited.request, see, ofNode: false, member: name, id: waits[name]?.request });
    if (!stillOpen(d, ref, op)) return;
  }
}

/** False once the node failed, or a member was settled at once. */
function stillOpen(d: Decider, ref: NodeRef, op: string): boolean {
  const at = d.run.tokens.get(ref.token)?.at;
  return d.isAt(ref) && at?.kind === 'node' && at.journal.get(op)?.status === 'intended';
}

function waitData(awaited: Awaited): WaitData {
  switch (awaited.kind) {
    case 'timer':
      return { timer: awaited.at };
    case 'signal':
      return { signal: awaited.signal, ...(awaited.schema === undefined ? {} : { schema: awaited.schema }) };
    case 'when':
      return { when: awaited.when };
    case 'ask':
      return {};
  }
}

/** What is already so: a kept signal that fits is used up, a time is past, a condition holds. */
function already(d: Decider, ref: NodeRef, awaited: Awaited): { readonly value: JsonValue } | undefined {
  if (awaited.kind === 'timer') return awaited.at <= d.at ? { value: null } : undefined;
  if (awaited.kind === 'when') return holds(d, ref, awaited.when) ? { value: true } : undefined;
  if (awaited.kind !== 'signal') return undefined;
  return takeKept(d, awaited);
}

/** A condition that cannot be evaluated yet does not hold yet. */
function holds(d: Decider, ref: NodeRef, source: string): boolean {
  const token = d.token(ref.token);
  const see = bindings({ run: d.run, token, graph: d.graphOf(token), at: d.at, output: token.last });
  const result = conditionOf(d.node(token, ref.node), source).evaluate(see);
  return result.ok && result.value === true;
}

function conditionOf(node: CompiledNode, source: string): Expression {
  const { wait } = node;
  const members = wait === undefined ? [] : wait.kind === 'first' ? [...wait.of.values()] : [wait];
  const own = members.find(member => member.kind === 'when' && member.when.source === source);
  return own?.kind === 'when' ? own.when : adHocCondition(source);
}

/** Records what an operation waited for, closes what it need not wait for any more, and lets its node go on. */
export function resolveOp(d: Decider, ref: NodeRef, op: string, value: JsonValue, winner?: string): void {
  const at = d.run.tokens.get(ref.token)?.at;
  const record = at?.kind === 'node' && d.isAt(ref) ? at.journal.get(op) : undefined;
  if (record === undefined || record.status === 'recorded') return;
  const result: JsonValue = record.first === undefined ? value : { winner: winner ?? '', value };
  closeLosers(d, record, winner);
  d.emit('op.recorded', { ...refOf(ref), op, kind: record.kind, digest: record.digest, value: result });
  ended(d, ref, op, result);
}

function closeLosers(d: Decider, record: OpRecord, winner: string | undefined): void {
  for (const [name, wait] of Object.entries(record.first ?? {})) {
    if (name === winner || wait.request === undefined) continue;
    if (d.run.requests.get(wait.request)?.status === 'open')
      d.emit('request.withdrawn', { request: wait.request, reason: 'superseded' });
  }
}

/** A `wait` node ends with its wait; a handler is woken by the record alone. */
function ended(d: Decider, ref: NodeRef, op: string, value: JsonValue): void {
  const node = d.node(d.token(ref.token), ref.node);
  if (op === WAIT_OP && node.definition.type === 'wait') succeed(d, ref, { output: value });
}

/** The member of a first-of that waits for what just happened. */
export function memberOf(record: OpRecord, matches: (wait: WaitData) => boolean): string | undefined {
  return Object.entries(record.first ?? {}).find(([, wait]) => matches(wait))?.[0];
}

/** Every open wait of every token, in order of tokens and operations. */
export function* openWaits(d: Decider): Generator<{ readonly ref: NodeRef; readonly record: OpRecord }> {
  for (const token of [...d.run.tokens.values()]) {
    if (token.at.kind !== 'node') continue;
    const execution: NodeExecution = token.at;
    if (execution.journal.size === 0) continue;
    const ref = { token: token.id, node: execution.node, visit: execution.visit };
    for (const record of [...execution.journal.values()])
      if (record.status === 'intended' && (record.wait !== undefined || record.first !== undefined))
        yield { ref, record };
  }
}

/** Conditions, which only `wait` nodes have, are looked at again whenever something was decided. Returns whether one came true. */
export function reviewConditions(d: Decider): boolean {
  for (const token of d.run.tokens.values()) {
    const { at } = token;
    if (at.kind !== 'node' || at.status !== 'waiting') continue;
    const { wait } = d.node(token, at.node);
    if (wait === undefined) continue;
    const ref = refOf({ token: token.id, ...at });
    for (const [name, member] of wait.kind === 'first' ? wait.of : [[undefined, wait] as const]) {
      if (member.kind !== 'when' || !holds(d, ref, member.when.source)) continue;
      resolveOp(d, ref, WAIT_OP, true, name);
      return true;
    }
  }
  return false;
}
