import type { Amounts, Money } from '../budget/amounts.ts';
import { compareDecimal } from '../budget/compare-decimal.ts';

/** What one call costs that is more than what is left, in words; undefined where all of it is there. */
export function overBudget(cost: Amounts | undefined, left: Amounts): string | undefined {
  const calls = 1 + (cost?.toolCalls ?? 0);
  return (
    counted('tool calls', calls, left.toolCalls) ??
    counted('tokens', cost?.tokens, left.tokens) ??
    counted('model calls', cost?.modelCalls, left.modelCalls) ??
    counted('ms', cost?.time, left.time) ??
    priced(cost?.money, left.money)
  );
}

function counted(unit: string, cost: number | undefined, left: number | undefined): string | undefined {
  if (cost === undefined || left === undefined || cost <= left) return undefined;
  return `it costs ${cost} ${unit}, and ${left} are left`;
}

/** Amounts of two currencies cannot be compared, which closes. */
function priced(cost: Money | undefined, left: Money | undefined): string | undefined {
  if (cost === undefined || left === undefined) return undefined;
  const order = cost.currency === left.currency ? compareDecimal(cost.amount, left.amount) : undefined;
  return order !== undefined && order <= 0 ? undefined : `it costs ${show(cost)}, and ${show(left)} are left`;
}

function show({ amount, currency }: Money): string {
  return `${amount} ${currency}`;
}
