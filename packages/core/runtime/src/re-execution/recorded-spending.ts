import {
  type Amounts,
  type Bound,
  type Commit,
  NOTHING_USED,
  type OpRef,
  type OpReport,
  opKey,
  type RunEvents,
  withAmounts,
} from '@signalbox/kernel';

type Began = Pick<Extract<OpReport, { type: 'intend' }>, 'reserve' | 'bounds'>;

/**
 * What operations might spend, what they came to, and what other runs had spent by then: prices, a tokenizer and other
 * runs say that, none of which a second execution has. So it is as the log has it, operation by operation, in order.
 */
export class RecordedSpending {
  readonly #began = new Map<string, Began[]>();
  readonly #spent = new Map<string, Amounts[]>();

  constructor(history: readonly Commit[]) {
    for (const { events } of history)
      for (const { type, data } of events) {
        const ref = data as unknown as OpRef;
        if (type === 'op.intended' && data.reserve !== undefined)
          add(this.#began, ref, reserved(data as unknown as RunEvents['op.intended']));
        if (type === 'budget.exceeded')
          add(this.#began, ref, exceeded(data as unknown as RunEvents['budget.exceeded']));
        if (type === 'budget.spent' && data.possibly !== true) {
          const { time: _reckoned, ...amounts } = data.amounts as Amounts;
          add(this.#spent, ref, amounts);
        }
      }
  }

  /** The report, with what it says of spending as it is recorded. */
  of(ref: Omit<OpRef, 'op'>, report: OpReport): OpReport {
    if (report.type === 'intend' && report.reserve !== undefined) {
      const { bounds: _own, ...rest } = report;
      return { ...rest, ...this.#began.get(opKey(ref, report.op))?.shift() };
    }
    if (report.type !== 'record' || (report.kind !== 'model' && report.kind !== 'tool')) return report;
    const { usage: _own, ...rest } = report;
    const usage = this.#spent.get(opKey(ref, report.op))?.shift();
    return { ...rest, ...(usage === undefined ? {} : { usage }) };
  }
}

function add<Item>(lists: Map<string, Item[]>, ref: OpRef, item: Item): void {
  const key = opKey(ref, ref.op);
  lists.set(key, [...(lists.get(key) ?? []), item]);
}

/** No bound kept it from beginning. */
function reserved({ reserve }: RunEvents['op.intended']): Began {
  const { amounts, accounts } = reserve!;
  return { reserve: amounts, bounds: accounts.map(account => ({ account, allowed: {} })) };
}

/** The bound that was met, and how far it was used. */
function exceeded(data: RunEvents['budget.exceeded']): Began {
  const { account, limit, allowed, used, wanted, asks } = data;
  const amounts = (value: unknown) => ({ [limit]: value }) as Amounts;
  const bound: Bound = {
    account,
    allowed: amounts(allowed),
    used: withAmounts(NOTHING_USED, amounts(used)),
    ...(asks === undefined ? {} : { question: {} }),
  };
  return { reserve: amounts(wanted), bounds: [bound] };
}
