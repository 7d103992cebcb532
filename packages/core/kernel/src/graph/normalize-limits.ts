import type { BudgetDefinition } from '../budget/amounts.ts';
import { addDecimals } from '../budget/decimal-text.ts';
import type { LimitDeadline, LimitQuestion, OnReached } from './definition.ts';
import { duration, type Parts, unlessEmpty, without } from './normalize-parts.ts';

/** A question that says nothing of its own is `ask`. */
export function normalizeOnReached(onReached: OnReached | undefined): OnReached | undefined {
  if (typeof onReached !== 'object') return onReached;
  const { title, message, assignees, deadline } = onReached.ask;
  const parts: Parts<LimitQuestion> = {
    title,
    message,
    assignees: unlessEmpty(assignees),
    deadline: deadline && normalizeDeadline(deadline),
  };
  const ask = unlessEmpty(without(parts)) as LimitQuestion | undefined;
  return ask === undefined ? 'ask' : { ask };
}

function normalizeDeadline({ after, onExpire, to }: LimitDeadline) {
  const parts: Parts<LimitDeadline> = {
    after: duration(after),
    onExpire: onExpire === 'fail' ? undefined : onExpire,
    to: unlessEmpty(to),
  };
  return without(parts);
}

/** One amount of money has one spelling: `2.50` is `2.5`. */
export function normalizeBudget(budget: BudgetDefinition | undefined): BudgetDefinition | undefined {
  if (budget === undefined) return undefined;
  const { tokens, modelCalls, toolCalls, money, time } = budget;
  const parts: Parts<BudgetDefinition> = {
    tokens,
    modelCalls,
    toolCalls,
    money: money && { ...money, amount: addDecimals(money.amount, '0') },
    time: duration(time),
  };
  return unlessEmpty(without(parts)) as BudgetDefinition | undefined;
}
