import { type BudgetLeft, type Commit, type NodeRef, opKey, type RunEvent } from '@signalbox/kernel';

/**
 * What judgements found left of the bounds. That hangs on how far all branches of the run, and other runs, had come when the gate
 * looked, which no second execution knows: so it is as the log has it, call by call.
 */
export class RecordedLooks {
  readonly #left = new Map<string, readonly BudgetLeft[]>();

  constructor(history: readonly Commit[]) {
    for (const { events } of history)
      for (const { type, data } of events as readonly RunEvent[]) {
        if (type !== 'tool.judged') continue;
        const left = data.stages.find(({ stage }) => stage === 'budget')?.left;
        if (left !== undefined) this.#left.set(opKey(data, data.op), left);
      }
  }

  of(ref: NodeRef, op: string): readonly BudgetLeft[] | undefined {
    return this.#left.get(opKey(ref, op));
  }
}
