import { type BudgetLeft, type Commit, type NodeRef, nodeKey, opKey, type RunEvent } from '@signalbox/kernel';

/**
 * What judgements found left of the bounds. That hangs on how far all branches of the run, and other runs, had come when the gate
 * looked, which no second execution knows: so it is as the log has it, call by call and attempt by attempt.
 */
export class RecordedLooks {
  readonly #left = new Map<string, readonly BudgetLeft[]>();

  constructor(history: readonly Commit[]) {
    const attempts = new Map<string, number>();
    for (const { events } of history)
      for (const { type, data } of events as readonly RunEvent[])
        if (type === 'node.retryScheduled') attempts.set(nodeKey(data), data.attempt);
        else if (type === 'node.fellBack') attempts.delete(nodeKey(data));
        else if (type === 'tool.judged') {
          const left = data.stages.find(({ stage }) => stage === 'budget')?.left;
          if (left !== undefined) this.#left.set(keyOf(data, data.op, attempts.get(nodeKey(data))), left);
        }
  }

  of(ref: NodeRef, op: string, attempt: number | undefined): readonly BudgetLeft[] | undefined {
    return this.#left.get(keyOf(ref, op, attempt));
  }
}

function keyOf(ref: NodeRef, op: string, attempt = 1): string {
  return `${opKey(ref, op)}@${attempt}`;
}
