import type { Amounts } from './amounts.ts';

/** What a bound leaves of its account; an absent member has no bound. */
export interface BudgetLeft {
  readonly account: string;
  readonly left: Amounts;
  /** Where it does not suffice a person is asked. */
  readonly asks?: true;
}
