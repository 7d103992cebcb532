import type { Amounts } from '../budget/amounts.ts';
import type { Usage } from '../budget/usage.ts';
import type { LimitQuestion } from '../graph/definition.ts';

/** A bound on what may be spent on an account. */
export interface Bound {
  readonly account: string;
  readonly allowed: Amounts;
  /** The allowance counts so often; default 1. */
  readonly times?: number;
  /** Of an account that is shared with other runs: what all have spent and reserved by now. */
  readonly used?: Usage;
  /** What of this run `used` holds: all up to this seq. Absent: everything. */
  readonly asOf?: number;
  /** How a person is asked when it is reached; absent: the operation fails. */
  readonly question?: LimitQuestion | undefined;
}
