import { parseDuration } from '../time/duration.ts';
import type { Amounts, BudgetDefinition } from './amounts.ts';

export function compileBudget(budget: BudgetDefinition): Amounts;
export function compileBudget(budget: BudgetDefinition | undefined): Amounts | undefined;
export function compileBudget(budget: BudgetDefinition | undefined): Amounts | undefined {
  if (budget === undefined) return undefined;
  const { time, ...amounts } = budget;
  return time === undefined ? amounts : { ...amounts, time: parseDuration(time) };
}
