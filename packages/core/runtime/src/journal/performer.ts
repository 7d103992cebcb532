import type { BudgetLeft } from '@signalbox/kernel';

/** What stands in for effects where a handler is executed once more. */
export interface Performer {
  /** The code asks for an operation of that name. */
  asked(name: string): void;
  /** Begins an operation in place of its function. `key` is derived from its place in the journal. */
  perform(name: string, key: string): Promise<unknown>;
  /** What the recorded judgement of that name in the journal found left of the bounds; undefined where it looked at none. */
  left(op: string): readonly BudgetLeft[] | undefined;
}
