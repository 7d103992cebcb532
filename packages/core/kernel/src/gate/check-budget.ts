import type { Amounts, Money } from '../budget/amounts.ts';
import { compareDecimals, isDecimalText } from '../budget/decimal-text.ts';
import type { Passage, Stop } from './passage.ts';

/** The stage `budget`. */
export function checkBudget(passage: Passage): Stop | undefined {
  const { left } = passage.options;
  const why = left === undefined ? undefined : exceedsLeft(passage.tool.definition.cost, left);
  if (why === undefined) return passage.pass('budget');
  return passage.refuse('budget', { code: 'overBudget', message: `\`${passage.call.tool}\` is not called: ${why}.` });
}

/** What one call costs that is more than what is left, in words; undefined where all of it is there. */
function exceedsLeft(cost: Amounts | undefined, left: Amounts): string | undefined {
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
  const comparable = cost.currency === left.currency && isDecimalText(cost.amount) && isDecimalText(left.amount);
  return comparable && compareDecimals(cost.amount, left.amount) <= 0
    ? undefined
    : `it costs ${show(cost)}, and ${show(left)} are left`;
}

function show({ amount, currency }: Money): string {
  return `${amount} ${currency}`;
}
