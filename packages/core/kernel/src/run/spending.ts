import type { Amounts } from '../budget/amounts.ts';
import { NOTHING_USED, type Usage, withAmounts } from '../budget/usage.ts';
import type { OpRef } from '../event/run-event.ts';

/**
 * What a run has spent, and what it may be spending now.
 *  1. Every account of a reservation holds it from the commit that starts the operation to the one that ends it.
 *  2. A reservation whose operation can no longer be recorded (its visit is over, its intent taken back) counts as spent:
 *     the decision that brings this about says so.
 *  3. Nothing takes spending back: neither a rollback nor a retry. A fork begins with what was spent up to its point.
 */
export interface Spending {
  /** By account: `run`, `node:GRAPH/NODE`, `agent:NAME`, and shared ones (`session:…`, `tenant:…`) as far as this run goes. */
  readonly accounts: ReadonlyMap<string, Usage>;
  /** By operation. */
  readonly reserved: ReadonlyMap<string, Reservation>;
  /** How often somebody granted an account its allowance again. */
  readonly granted: ReadonlyMap<string, number>;
}

export interface Reservation extends OpRef {
  /** When it was begun, epoch ms. */
  readonly at: number;
  /** Of the event that made it; absent in snapshots of older versions. */
  readonly seq?: number;
  readonly amounts: Amounts;
  readonly accounts: readonly string[];
}

export const NOTHING_SPENT: Spending = { accounts: new Map(), reserved: new Map(), granted: new Map() };

export function charged(
  accounts: Spending['accounts'],
  names: readonly string[],
  amounts: Amounts,
): Spending['accounts'] {
  const next = new Map(accounts);
  for (const name of names) next.set(name, withAmounts(next.get(name) ?? NOTHING_USED, amounts));
  return next;
}
