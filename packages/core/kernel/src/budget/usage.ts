import type { Amounts, Money } from './amounts.ts';
import { addDecimals, compareDecimals, negated } from './decimal-text.ts';

/** What came together on one account. Money by currency, as decimal texts. */
export interface Usage {
  readonly tokens: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
  /** ms */
  readonly time: number;
  readonly money: Readonly<Record<string, string>>;
}

export const NOTHING_USED: Usage = { tokens: 0, modelCalls: 0, toolCalls: 0, time: 0, money: {} };

export const COUNTED = ['tokens', 'modelCalls', 'toolCalls', 'time'] as const;

export type BudgetLimit = (typeof COUNTED)[number] | 'money';

export function withAmounts(usage: Usage, amounts: Amounts): Usage {
  return {
    tokens: usage.tokens + (amounts.tokens ?? 0),
    modelCalls: usage.modelCalls + (amounts.modelCalls ?? 0),
    toolCalls: usage.toolCalls + (amounts.toolCalls ?? 0),
    time: usage.time + (amounts.time ?? 0),
    money: amounts.money === undefined ? usage.money : withMoney(usage.money, amounts.money),
  };
}

function withMoney(money: Usage['money'], { amount, currency }: Money): Usage['money'] {
  const before = Object.hasOwn(money, currency) ? money[currency]! : '0';
  return { ...money, [currency]: addDecimals(before, amount) };
}

/** What `spent` has more than `reserved`; less is negative. */
export function difference(spent: Amounts, reserved: Amounts): readonly Amounts[] {
  const counted = Object.fromEntries(
    COUNTED.map(name => [name, (spent[name] ?? 0) - (reserved[name] ?? 0)] as const).filter(([, value]) => value !== 0),
  );
  const back = reserved.money && { money: { ...reserved.money, amount: negated(reserved.money.amount) } };
  return [
    counted,
    ...(spent.money === undefined ? [] : [{ money: spent.money }]),
    ...(back === undefined ? [] : [back]),
  ];
}

/** A bound that would be passed: how much is allowed, is used (what is reserved included), and is wanted. */
export interface OverBudget {
  readonly limit: BudgetLimit;
  readonly allowed: number | Money;
  readonly used: number | Money;
  readonly wanted: number | Money;
}

/**
 * The first bound of `allowed` that `wanted` would pass, each allowance counted `times`. Only what is wanted is looked
 * at; what is wanted of nothing (`tokens: 0`, where nobody can tell) is too much when the bound is met already. Money in a
 * currency other than the bound's cannot be held against it, so it is too much.
 */
export function overBudget(allowed: Amounts, used: Usage, wanted: Amounts, times = 1): OverBudget | undefined {
  for (const limit of COUNTED) {
    const bound = allowed[limit];
    // How long it takes nobody knows before, and everything takes time.
    const want = wanted[limit] ?? (limit === 'time' ? 0 : undefined);
    if (bound === undefined || want === undefined) continue;
    const most = bound * times;
    if (used[limit] + want > most || used[limit] >= most)
      return { limit, allowed: most, used: used[limit], wanted: want };
  }
  if (allowed.money === undefined || wanted.money === undefined) return undefined;
  const { currency } = allowed.money;
  const most = Array.from({ length: times }, () => allowed.money!.amount).reduce(addDecimals);
  const spent = Object.hasOwn(used.money, currency) ? used.money[currency]! : '0';
  const isOver =
    wanted.money.currency !== currency ||
    compareDecimals(addDecimals(spent, wanted.money.amount), most) > 0 ||
    compareDecimals(spent, most) >= 0;
  if (!isOver) return undefined;
  const money = (amount: string): Money => ({ amount, currency });
  return { limit: 'money', allowed: money(most), used: money(spent), wanted: wanted.money };
}
