import type { Amounts } from '../budget/amounts.ts';

/** What the caller of the gate adds to contract and facts. */
export interface GateOptions {
  /** Of the code behind the tool that is called, where it has one: part of what is approved. */
  readonly version?: string;
  /** IANA zone in which dates and times without an offset are read. Absent: they are refused. */
  readonly zone?: string;
  /** What may still be spent, of all budgets that the call counts for together. Absent: no bound. */
  readonly left?: Amounts;
  /** The tools that there are, in contracts or not: tells `notAllowed` from `unknownTool`. Absent: those of the contract. */
  readonly known?: Iterable<string>;
}
