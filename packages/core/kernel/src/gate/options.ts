import type { BudgetLeft } from '../budget/budget-left.ts';

/** What the caller of the gate adds to contract and facts. */
export interface GateOptions {
  /** Of the code behind the tool that is called, where it has one: part of what is approved. */
  readonly version?: string;
  /** IANA zone in which dates and times without an offset are read. Absent: they are refused. */
  readonly zone?: string;
  /** What is left of each bound that holds for the call. An early look: nothing is reserved by it. Absent: no bound. */
  readonly left?: readonly BudgetLeft[];
  /** The tools that there are, in contracts or not: tells `notAllowed` from `unknownTool`. Absent: those of the contract. */
  readonly known?: Iterable<string>;
}
