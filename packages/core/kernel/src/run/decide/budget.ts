import type { Amounts, Money } from '../../budget/amounts.ts';
import { type OverBudget, overBudget } from '../../budget/usage.ts';
import type { ErrorData, NodeRef, OpRef } from '../../event/run-event.ts';
import type { LimitQuestion } from '../../graph/definition.ts';
import type { JsonObject } from '../../json/value.ts';
import type { RequestDefinition } from '../../request/definition.ts';
import { parseDuration } from '../../time/duration.ts';
import type { Bound } from '../bound.ts';
import { isAsked, nodeAccount, ownBounds, timesOf, usedOf } from '../bounds.ts';
import type { OpReport } from '../command.ts';
import { nodeKey, opKey } from '../keys.ts';
import type { OpRecord } from '../node-execution.ts';
import type { RequestState } from '../request-state.ts';
import { NOTHING_SPENT, type Reservation, type Spending } from '../spending.ts';
import { offerToService } from './claims.ts';
import { type Decider, errorData, refOf } from './decider.ts';
import { nextRequestId } from './request-id.ts';

/**
 * What operations may spend (design 4.8).
 *  1. An operation that reserves is begun only where every bound on its accounts holds with what is spent, what is
 *     reserved and what it wants; the reservation stands in the commit that begins it.
 *  2. What it came to is settled in the commit that records it. Where nobody can tell, the reservation counts as spent.
 *  3. A bound that would be passed fails the operation, or puts a question where the bound says so; an approval grants
 *     that account its allowance once more.
 */
type Intend = Extract<OpReport, { type: 'intend' }>;
type Afford = Extract<OpReport, { type: 'afford' }>;
type Kept = Pick<Intend, 'op' | 'kind' | 'digest'>;

/** The accounts that an operation is charged to; undefined where a bound keeps it from beginning. */
export function accountsFor(d: Decider, ref: NodeRef, op: Intend): readonly string[] | undefined {
  if (op.reserve === undefined) return [];
  const bounds = boundsOf(d, ref, op);
  if (isKept(d, ref, op, bounds, op.reserve)) return undefined;
  return [...new Set(['run', nodeAccount(d.token(ref.token), ref.node), ...bounds.map(({ account }) => account)])];
}

/**
 * Whether all bounds leave what an operation that is yet to be approved would want, so that whoever grants more of a budget is
 * asked before whoever approves. Nothing is reserved: it may be gone by the time the operation is begun.
 */
export function afford(d: Decider, ref: NodeRef, { type: _, wanted, bounds, ...op }: Afford): void {
  const asked = { ...op, kind: 'decide' as const };
  if (isKept(d, ref, asked, boundsOf(d, ref, { bounds }), wanted)) return;
  d.emit('op.recorded', { ...refOf(ref), ...asked, value: true });
}

function boundsOf(d: Decider, ref: NodeRef, { bounds = [] }: { readonly bounds?: readonly Bound[] }): Bound[] {
  return [...ownBounds(d.program, d.run, ref), ...bounds];
}

/** Whether a bound keeps the operation from beginning, which is told. */
function isKept(d: Decider, ref: NodeRef, op: Kept, bounds: readonly Bound[], wanted: Amounts): boolean {
  for (const bound of bounds) {
    const over = passed(d.run.spending ?? NOTHING_SPENT, bound, wanted);
    if (over === undefined) continue;
    exceed(d, { ...refOf(ref), op: op.op }, op, bound, over);
    return true;
  }
  return false;
}

function passed(spending: Spending, bound: Bound, wanted: Amounts): OverBudget | undefined {
  return overBudget(bound.allowed, usedOf(spending, bound), wanted, timesOf(spending, bound));
}

function exceed(d: Decider, ref: OpRef, { kind, digest }: Kept, bound: Bound, over: OverBudget): void {
  const { account, question } = bound;
  const asks = isAsked(d.run, bound);
  d.emit('budget.exceeded', { ...ref, kind, digest, account, ...over, ...(asks ? { asks: true as const } : {}) });
  if (asks) return ask(d, ref, { account, question: question!, over });
  d.emit('op.recorded', { ...ref, kind, digest, error: budgetError(account, over) });
}

export function budgetError(account: string, { limit, allowed, used, wanted }: OverBudget): ErrorData {
  const message = `Budget ${limit} = ${shown(allowed)} of ${account}: ${shown(used)} is used or reserved, ${shown(wanted)} more is wanted.`;
  const details = { account, limit, allowed, used, wanted } as unknown as JsonObject;
  return errorData('BudgetExceeded', message, { permanent: true, details });
}

function shown(value: number | Money): string {
  return typeof value === 'number' ? String(value) : `${value.amount} ${value.currency}`;
}

interface BudgetAsking {
  readonly account: string;
  readonly question: LimitQuestion;
  readonly over: OverBudget;
}

function ask(d: Decider, ref: OpRef, { account, question, over }: BudgetAsking): void {
  const { title, message, assignees, deadline } = question;
  const definition: RequestDefinition = {
    kind: 'confirmation',
    title: title ?? `Budget ${over.limit} = ${shown(over.allowed)} of ${account} is reached. Go on?`,
    ...(message === undefined ? {} : { message }),
    gap: 'constraint',
    purpose: 'An approval grants the same allowance once more; a rejection fails the operation with BudgetExceeded.',
    context: { account, op: ref.op, node: ref.node, ...over } as unknown as JsonObject,
    actions: { approve: 'Go on', reject: 'Stop' },
    ...(assignees === undefined ? {} : { assignees }),
    ...(deadline === undefined ? {} : { deadline: { ...deadline, onExpire: deadline.onExpire ?? 'fail' } }),
  };
  const request = nextRequestId(d.run, ref, ref.op, 'budget');
  d.emit('request.opened', {
    ...ref,
    request,
    kind: definition.kind,
    definition,
    ...(deadline === undefined ? {} : { deadline: d.at + parseDuration(deadline.after) }),
    about: 'limit',
  });
  offerToService(d, request);
}

/** The operation that stands at a budget until the request is answered; undefined where the request is about something else. */
export function heldOperation(d: Decider, request: RequestState): OpRef | undefined {
  const ref: OpRef = { ...refOf(request), op: request.op };
  return statusOf(d, ref) === 'held' ? ref : undefined;
}

/** It is begun anew, now that its account has the allowance once more. */
export function extendBudget(d: Decider, request: RequestState, ref: OpRef): void {
  d.emit('budget.extended', { account: overOf(request).account, request: request.id });
  d.emit('op.retried', ref);
}

export function refuseBudget(d: Decider, request: RequestState, ref: OpRef): void {
  const at = d.token(ref.token).at;
  const record = at.kind === 'node' ? at.journal.get(ref.op) : undefined;
  if (record === undefined) return;
  const { account, ...over } = overOf(request);
  d.emit('op.recorded', { ...ref, kind: record.kind, digest: record.digest, error: budgetError(account, over) });
}

function overOf(request: RequestState): OverBudget & { readonly account: string } {
  return request.definition?.context as unknown as OverBudget & { readonly account: string };
}

/**
 * What an operation came to, and how long it took. `usage` absent: nobody can tell, so what it reserved counts. One that holds
 * no reservation any more has been counted already.
 */
export function spend(d: Decider, ref: OpRef, usage: Amounts | undefined): void {
  const reservation = d.run.spending?.reserved.get(opKey(ref, ref.op));
  if (reservation === undefined) return;
  if (usage === undefined) return spendPossibly(d, reservation);
  const { at, accounts, amounts: reserved } = reservation;
  d.emit('budget.spent', { ...ref, amounts: { ...usage, time: d.at - at }, accounts, reserved });
}

/** What can no longer be recorded (invariant 2 of `Spending`). */
export function settleLost(d: Decider): void {
  const { reserved } = d.run.spending ?? NOTHING_SPENT;
  if (reserved.size === 0) return;
  for (const reservation of [...reserved.values()]) {
    const status = statusOf(d, reservation);
    if (status === undefined || status === 'recorded') spendPossibly(d, reservation);
  }
}

function statusOf(d: Decider, ref: OpRef): OpRecord['status'] | undefined {
  const at = d.run.tokens.get(ref.token)?.at;
  return at?.kind === 'node' && d.isAt(ref) ? at.journal.get(ref.op)?.status : undefined;
}

/**
 * Their driver died, or their attempt is over: what they may have spent counts, and they are begun anew, but for those that
 * are done once, which are in doubt. `until`: when they were at work last, epoch ms; `of`: of that visit alone.
 */
export function settleReserved(d: Decider, until: number, of?: NodeRef): void {
  for (const reservation of [...(d.run.spending?.reserved.values() ?? [])]) {
    if (of !== undefined && nodeKey(reservation) !== nodeKey(of)) continue;
    spendPossibly(d, reservation, until);
    const ref: OpRef = { ...refOf(reservation), op: reservation.op };
    const at = d.run.tokens.get(ref.token)?.at;
    const record = at?.kind === 'node' && d.isAt(ref) ? at.journal.get(ref.op) : undefined;
    if (record?.status === 'intended' && record.class !== 'once') d.emit('op.retried', ref);
  }
}

function spendPossibly(d: Decider, { amounts: wanted, accounts, at, ...ref }: Reservation, until = d.at): void {
  const amounts = { ...wanted, time: until - at };
  d.emit('budget.spent', { ...refOf(ref), op: ref.op, amounts, accounts, reserved: wanted, possibly: true });
}
