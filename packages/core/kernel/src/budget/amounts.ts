/** What is spent, reserved or allowed. An absent member is nothing of a sum, and no bound of a limit. */
export interface Amounts {
  readonly tokens?: number;
  readonly money?: Money;
  readonly modelCalls?: number;
  readonly toolCalls?: number;
  /** Executing time, ms. */
  readonly time?: number;
}

/** Decimal text, so that sums are exact: `{ amount: '0.0042', currency: 'USD' }`. */
export interface Money {
  readonly amount: string;
  /** ISO 4217. */
  readonly currency: string;
}

/** As graphs and contracts say it; `time` is a duration. */
export interface BudgetDefinition extends Omit<Amounts, 'time'> {
  readonly time?: string;
}
