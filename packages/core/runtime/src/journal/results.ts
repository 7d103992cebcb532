import type { JsonValue, OpKind, OpRecord } from '@signalbox/kernel';
import type { AwaitedRecords } from './awaited-records.ts';
import type { Delivery } from './delivery.ts';
import type { EffectResult } from './effect-result.ts';
import { revivedError, stackOf } from './error-data.ts';
import { frozen } from './freeze.ts';
import type { OpJournal } from './op-journal.ts';
import { forever, type Progress } from './progress.ts';

/** Operations that wait: time goes on with them. */
const WAITS: ReadonlySet<OpKind> = new Set(['ask', 'sleep', 'signal', 'first']);

/**
 * What the operations of an execution come to, handed to its code.
 *  1. Results are handed out in the order of their records, live as on re-execution: while anything is waited for, the
 *     result of an effect is handed out only when its record stands, since an answer may have been recorded before it.
 *  2. What was taken over from before has no place in that order.
 *  3. An execution that is over is handed nothing that it asks for from then on.
 *  4. `now` is when the node started, or when the last thing it waited for came: the same at every execution.
 */
export class Results {
  readonly #journal: OpJournal;
  readonly #progress: Progress;
  readonly #delivery: Delivery;
  readonly #awaited: AwaitedRecords;
  #now: number;

  constructor(journal: OpJournal, progress: Progress, delivery: Delivery, awaited: AwaitedRecords, now: number) {
    this.#journal = journal;
    this.#progress = progress;
    this.#delivery = delivery;
    this.#awaited = awaited;
    this.#now = now;
  }

  get now(): number {
    return this.#now;
  }

  /** An operation begins whose result will be handed out. */
  begin(): void {
    this.#delivery.begin();
  }

  /** A recorded fact whose result the code does not wait for is asked for. */
  passed(op: string): void {
    this.#delivery.passed(op);
  }

  /** What an earlier execution recorded. */
  replayed(record: OpRecord): Promise<JsonValue> {
    if (this.#progress.over) return forever();
    this.#delivery.begin();
    return new Promise((resolve, reject) => {
      const deliver = () => {
        this.#give(record, resolve, reject);
        this.#progress.look();
      };
      if (record.adopted === undefined) this.#delivery.replay(record.op, deliver);
      else deliver();
      this.#progress.look();
    });
  }

  /** What the journal holds of an operation once it does, in its turn. */
  whenRecorded(op: string): Promise<JsonValue> {
    return new Promise((resolve, reject) => {
      const take = (record: OpRecord) =>
        this.#delivery.live(op, record.kind, () => this.#give(record, resolve, reject));
      const record = this.#journal.current(op);
      if (record?.status === 'recorded') take(record);
      else this.#awaited.add(op, { isOver: now => now?.status === 'recorded', take: now => now && take(now) });
    });
  }

  /** The result of an effect that is recorded now is handed out only with its record (1). */
  get mustWaitForRecord(): boolean {
    return this.#awaited.size > 0;
  }

  /** The result of an effect that has just been performed, and need not wait for its record. */
  performed(op: string, kind: OpKind, result: EffectResult): Promise<JsonValue> {
    return new Promise((resolve, reject) => {
      this.#delivery.live(op, kind, () =>
        'error' in result ? reject(revivedError(result.error, stackOf(result.thrown))) : resolve(result.value),
      );
    });
  }

  /** Resolves when somebody has said how an operation in doubt ended, or that it is to be done again. */
  outOfDoubt(op: string): Promise<'recorded' | 'retried'> {
    return new Promise(resolve => {
      this.#awaited.add(op, {
        isOver: record => record?.status !== 'doubted' && record?.status !== 'held',
        take: record => resolve(record === undefined ? 'retried' : 'recorded'),
      });
    });
  }

  /** Called after every commit: what was waited for may have come. */
  committed(): void {
    if (this.#progress.over) return;
    if (this.#awaited.handOut(this.#journal)) this.#progress.goesOn();
    this.#progress.look();
  }

  #give(record: OpRecord, resolve: (value: JsonValue) => void, reject: (error: Error) => void): void {
    if (WAITS.has(record.kind)) this.#now = Math.max(this.#now, record.at ?? 0);
    if (record.error === undefined) resolve(frozen(record.value ?? null));
    else reject(revivedError(record.error));
  }
}
