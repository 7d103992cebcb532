import {
  type Amounts,
  type Bound,
  type Commit,
  NOTHING_USED,
  type OpRef,
  type OpReport,
  opKey,
  type RunEvent,
  type RunEvents,
  withAmounts,
} from '@signalbox/kernel';

type Began = Pick<Extract<OpReport, { type: 'intend' }>, 'reserve' | 'bounds' | 'request'>;

/**
 * What operations might spend, what they came to and in how many tries, and what other runs had spent by then: prices, a tokenizer and other
 * runs say that, none of which a second execution has. So it is as the log has it, operation by operation, in order; and so is
 * what the log keeps of a request to a model, which is a setting. The whole request is in the digest of its operation.
 */
export class RecordedSpending {
  readonly #began = new Map<string, Began[]>();
  /** Undefined where nobody could tell what the operation came to. */
  readonly #spent = new Map<string, (Amounts | undefined)[]>();
  /** How often it was tried until it succeeded. */
  readonly #attempts = new Map<string, number>();

  constructor(history: readonly Commit[]) {
    const granted = new Map<string, number>();
    let settled: RunEvents['budget.spent'] | undefined;
    for (const { events } of history)
      for (const event of events as readonly RunEvent[]) {
        // One that was not begun, its result being known or asked for, reserved nothing.
        if (event.type === 'op.intended' && (event.data.kind === 'model' || event.data.kind === 'tool'))
          add(this.#began, event.data, event.data.reserve === undefined ? {} : reserved(event.data));
        // No event but an answer to `afford` records a decision so.
        if (event.type === 'op.recorded' && event.data.kind === 'decide' && event.data.error === undefined)
          add(this.#began, event.data, { reserve: {}, bounds: [] });
        if (event.type === 'budget.exceeded')
          add(this.#began, event.data, exceeded(event.data, granted.get(event.data.account) ?? 0));
        if (event.type === 'budget.extended')
          granted.set(event.data.account, (granted.get(event.data.account) ?? 0) + 1);
        if (event.type === 'op.recorded' && event.data.attempts !== undefined)
          this.#attempts.set(opKey(event.data, event.data.op), event.data.attempts);
        // What a report brings is settled right before it is recorded.
        if (event.type === 'op.recorded' && settled !== undefined && isOf(settled, event.data))
          add(this.#spent, event.data, told(settled));
        settled = event.type === 'budget.spent' ? event.data : undefined;
      }
  }

  /** The report, with what it says of spending as it is recorded. */
  of(ref: Omit<OpRef, 'op'>, report: OpReport): OpReport {
    if (report.type === 'intend' && report.reserve !== undefined) {
      const { bounds: _own, request: _kept, ...rest } = report;
      return { ...rest, ...this.#began.get(opKey(ref, report.op))?.shift() };
    }
    if (report.type === 'afford') {
      const { reserve: wanted = report.wanted, bounds = [] } = this.#began.get(opKey(ref, report.op))?.shift() ?? {};
      return { ...report, wanted, bounds };
    }
    if (report.type !== 'record' || (report.kind !== 'model' && report.kind !== 'tool')) return report;
    const { usage: _own, ...rest } = report;
    const key = opKey(ref, report.op);
    const [usage, attempts] = [this.#spent.get(key)?.shift(), this.#attempts.get(key)];
    return { ...rest, ...(usage === undefined ? {} : { usage }), ...(attempts === undefined ? {} : { attempts }) };
  }
}

function add<Item>(lists: Map<string, Item[]>, ref: OpRef, item: Item): void {
  const key = opKey(ref, ref.op);
  lists.set(key, [...(lists.get(key) ?? []), item]);
}

/** No bound kept it from beginning. */
function reserved({ reserve, request }: RunEvents['op.intended']): Began {
  const { amounts, accounts } = reserve!;
  const kept = request === undefined ? {} : { request };
  return { reserve: amounts, bounds: accounts.map(account => ({ account, allowed: {} })), ...kept };
}

function isOf(a: OpRef, b: OpRef): boolean {
  return opKey(a, a.op) === opKey(b, b.op);
}

function told({ amounts, possibly }: RunEvents['budget.spent']): Amounts | undefined {
  const { time: _reckoned, ...spent } = amounts;
  return possibly === true ? undefined : spent;
}

/** The bound that was met, and how far it was used. What was granted by then is part of what was allowed. */
function exceeded(data: RunEvents['budget.exceeded'], granted: number): Began {
  const { account, limit, allowed, used, wanted, asks } = data;
  const amounts = (value: unknown) => ({ [limit]: value }) as Amounts;
  const bound: Bound = {
    account,
    allowed: amounts(allowed),
    times: 1 - granted,
    used: withAmounts(NOTHING_USED, amounts(used)),
    ...(asks === undefined ? {} : { question: {} }),
  };
  return { reserve: amounts(wanted), bounds: [bound] };
}
