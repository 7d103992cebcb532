import type { Amounts, Money } from './amounts.ts';
import { addDecimals, compareDecimals, negated } from './decimal-text.ts';
import { COUNTED } from './usage.ts';

/** What a bound leaves of its account; an absent member has no bound. */
export interface BudgetLeft {
  readonly account: string;
  readonly left: Amounts;
  /** Where it does not suffice a person is asked. */
  readonly asks?: true;
}

/** What is left beside what others are about to take: nothing where that is more. A bound that is not there stays so. */
export function leftBeside(bound: BudgetLeft, taken: Amounts): BudgetLeft {
  const { left } = bound;
  const counted = COUNTED.flatMap(name => {
    const most = left[name];
    return most === undefined ? [] : [[name, Math.max(0, most - (taken[name] ?? 0))] as const];
  });
  const money = left.money === undefined ? {} : { money: moneyBeside(left.money, taken.money) };
  return { ...bound, left: { ...Object.fromEntries(counted), ...money } };
}

/** Money in another currency is none that this bound could count. */
function moneyBeside(left: Money, taken: Money | undefined): Money {
  if (taken?.currency !== left.currency) return left;
  const amount = addDecimals(left.amount, negated(taken.amount));
  return { ...left, amount: compareDecimals(amount, '0') < 0 ? '0' : amount };
}
