import type { Amounts } from '../budget/amounts.ts';
import type { BudgetLeft } from '../budget/budget-left.ts';
import { addDecimals, compareDecimals, negated } from '../budget/decimal-text.ts';
import { COUNTED, NOTHING_USED, type Usage, withAmounts } from '../budget/usage.ts';
import type { NodeRef } from '../event/run-event.ts';
import type { Program } from '../graph/program.ts';
import type { Bound } from './bound.ts';
import type { Run } from './run.ts';
import { NOTHING_SPENT, type Spending } from './spending.ts';
import type { Token } from './token.ts';

export function nodeAccount({ graph }: Token, node: string): string {
  return `node:${graph}/${node}`;
}

/** Those that the graph and the node at work declare. */
export function ownBounds(program: Program, run: Run, { token: id, node: name }: NodeRef): Bound[] {
  const token = run.tokens.get(id)!;
  const { limits } = program.graphs.get('')!;
  const node = program.graphs.get(token.graph)!.nodes.get(name)!;
  const bounds: Bound[] = [];
  if (node.budget !== undefined)
    bounds.push({ account: nodeAccount(token, name), allowed: node.budget, question: node.limitQuestion });
  if (limits.budget !== undefined) bounds.push({ account: 'run', allowed: limits.budget, question: limits.question });
  return bounds;
}

/** How often the allowance counts by now. */
export function timesOf({ granted }: Pick<Spending, 'granted'>, { account, times = 1 }: Bound): number {
  return times + (granted.get(account) ?? 0);
}

/** Spent and reserved together. */
export function heldOn(spending: Spending, account: string): Usage {
  return withReserved(spending.accounts.get(account) ?? NOTHING_USED, spending, account, -1);
}

/** Of an account that is shared: what all have spent and reserved, with what this run has reserved since. */
export function usedOf(spending: Spending, { account, used, asOf = Number.POSITIVE_INFINITY }: Bound): Usage {
  return used === undefined ? heldOn(spending, account) : withReserved(used, spending, account, asOf);
}

function withReserved(usage: Usage, { reserved }: Spending, account: string, after: number): Usage {
  let sum = usage;
  for (const { accounts, amounts, seq = 0 } of reserved.values())
    if (seq > after && accounts.includes(account)) sum = withAmounts(sum, amounts);
  return sum;
}

/** Whether somebody is asked where it is reached. */
export function isAsked({ decisions }: Run, { question }: Bound): boolean {
  return question !== undefined && decisions === 'on';
}

/**
 * What graph and node, and `more`, leave of their accounts as the run stands. To look at, no more: whatever else of the run is
 * begun may take of it, and only a reservation holds.
 */
export function budgetLeft(program: Program, run: Run, ref: NodeRef, more: readonly Bound[]): readonly BudgetLeft[] {
  return [...ownBounds(program, run, ref), ...more].map(bound => ({
    account: bound.account,
    left: leftOf(run.spending ?? NOTHING_SPENT, bound),
    ...(isAsked(run, bound) ? { asks: true as const } : {}),
  }));
}

function leftOf(spending: Spending, bound: Bound): Amounts {
  const { allowed } = bound;
  const [used, times] = [usedOf(spending, bound), timesOf(spending, bound)];
  const counted = COUNTED.flatMap(name => {
    const most = allowed[name];
    return most === undefined ? [] : [[name, Math.max(0, most * times - used[name])] as const];
  });
  if (allowed.money === undefined) return Object.fromEntries(counted);
  const { amount, currency } = allowed.money;
  const spent = Object.hasOwn(used.money, currency) ? used.money[currency]! : '0';
  const left = Array.from({ length: times }, () => amount).reduce(addDecimals, negated(spent));
  return {
    ...Object.fromEntries(counted),
    money: { amount: compareDecimals(left, '0') < 0 ? '0' : addDecimals(left, '0'), currency },
  };
}
