import type { BudgetDefinition, Money } from '../../budget/amounts.ts';
import { isDecimalText } from '../../budget/decimal-text.ts';
import { errorAt } from './fault.ts';
import { count, duration, objectOf, type Read, required } from './read.ts';

/** Decimal text of more than 0: a number would have been rounded already. */
const amount: Read = (value, pointer, faults) => {
  if (typeof value === 'string' && isDecimalText(value) && !/^[-0.]+$/.test(value) && !value.startsWith('-'))
    return value;
  const hint = 'Write it as text, such as "2.50".';
  faults.push(errorAt(pointer, 'InvalidAmount', 'An amount of money is a decimal text of more than 0.', hint));
  return undefined;
};

const currency: Read = (value, pointer, faults) => {
  if (typeof value === 'string' && /^[A-Z]{3}$/.test(value)) return value;
  faults.push(errorAt(pointer, 'InvalidCurrency', 'A currency is a code of three capital letters, such as USD.'));
  return undefined;
};

type Shape<Whole> = { readonly [Key in keyof Required<Whole>]: unknown };

const money = objectOf('An amount of money', {
  amount: required(amount),
  currency: required(currency),
} satisfies Shape<Money>);

export const budget: Read = objectOf('A budget', {
  tokens: count(1),
  modelCalls: count(1),
  toolCalls: count(1),
  time: duration,
  money,
} satisfies { readonly [Key in keyof Required<BudgetDefinition>]: Read });
