import { type ErrorData, SignalboxError, type TaskEnd } from '@signalbox/kernel';
import type { AwaitedRecords } from './awaited-records.ts';
import type { Delivery } from './delivery.ts';
import type { DriverLink } from './driver-link.ts';

/** How long code that is neither waiting nor asking may take before a missing operation counts as a change of code. */
const MISMATCH_GRACE_MS = 1_000;

/**
 * How far the code of an execution has come, and how that ends.
 *  1. It ends once: the driver is told of one end, and hears of none after it was given up. Between the two it may be looked
 *     at what stands in for a failure; until the driver was told, the execution has its place there.
 *  2. Whether only waits are left is looked at when the code has run as far as it can, and no effect is being performed.
 *     Then it has told the driver that it is suspended, and goes on if one of the waits comes before it was dropped.
 *  3. A success, failure or skip with something recorded that was not asked for is a mismatch; so is waiting for others
 *     without asking for it, when it lasts.
 *  4. One that is told to stop is cancelled as soon as its code stands still.
 */
export class Progress {
  readonly #link: DriverLink;
  readonly #delivery: Delivery;
  readonly #awaited: AwaitedRecords;
  #abort: AbortController | undefined;
  /** Effects under way. */
  #performing = 0;
  /** New operations that wait for the recorded ones to be asked for. */
  #behind = 0;
  /** Effects that were not begun because this execution is to stop. */
  #stalled = 0;
  /** Up to when its executing time has been told, epoch ms. */
  #since: number;
  #over = false;
  /** It is over, and the driver is yet to be told how it ended. */
  #untold = false;
  #checking = false;
  /** Told the driver that only waits are left; taken back when one of them has come. */
  #suspended = false;

  constructor(link: DriverLink, delivery: Delivery, awaited: AwaitedRecords) {
    this.#link = link;
    this.#delivery = delivery;
    this.#awaited = awaited;
    this.#since = link.clock.now();
  }

  /** Made when somebody first looks at it: most handlers never do. */
  get abort(): AbortController {
    this.#abort ??= new AbortController();
    return this.#abort;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Nothing more comes of it: the driver was told how it ended, or gave it up. */
  get isConcluded(): boolean {
    return this.#over && !this.#untold;
  }

  get isToStop(): boolean {
    return this.#over || this.#abort?.signal.aborted === true;
  }

  // ── what the code is at ────────────────────────────────────────────────────────────────────────────────────

  /** An effect is under way, or goes on after it was left for a wait. */
  performs(): void {
    this.#performing += 1;
  }

  /** An effect is over, or left for a wait. */
  performed(): void {
    this.#performing -= 1;
    this.look();
  }

  /** The code goes no further here; what is left of it may end. */
  stall<Result>(): Promise<Result> {
    this.#stalled += 1;
    this.performed();
    return forever();
  }

  /**
   * What is new waits until everything recorded was asked for: nothing recorded can depend on it, and code that changed
   * is found out before it does anything. Undefined when there is nothing to wait for.
   */
  caughtUp(): Promise<void> | undefined {
    const caughtUp = this.#delivery.caughtUp();
    if (caughtUp === undefined) return undefined;
    this.#behind += 1;
    this.look();
    return caughtUp.then(() => {
      this.#behind -= 1;
    });
  }

  /** Something it waited for has come. */
  goesOn(): void {
    this.#suspended = false;
  }

  /** Looks, once the code has run as far as it can, whether anything but waiting is left. */
  look(): void {
    if (this.#checking || this.#over) return;
    this.#checking = true;
    this.#link.clock.soon(() => {
      this.#checking = false;
      if (this.#over || this.#suspended) return;
      // Code that the last result woke may look while the next is on its way: look again when it has come.
      if (this.#delivery.busy) return this.look();
      if (this.#performing > this.#delivery.held) return;
      if (this.#abort?.signal.aborted === true && this.#stalled + this.#awaited.size > 0)
        return this.end({ type: 'cancelled' });
      if (this.#delivery.blocked || this.#behind > 0) return this.#watchBlocked();
      if (this.#awaited.size > 0) this.#suspend();
    });
  }

  // ── the end ────────────────────────────────────────────────────────────────────────────────────────────────

  end(end: TaskEnd): void {
    if (this.close(end)) this.conclude(end);
  }

  /**
   * It is over; how it ended the driver is told by `conclude`. False where it was over before, or has not done what it recorded:
   * then there is nothing to conclude.
   */
  close(end: TaskEnd): boolean {
    if (this.#over) return false;
    const { unasked } = this.#delivery;
    if (unasked.length > 0 && (end.type === 'success' || end.type === 'failed' || end.type === 'skipped')) {
      this.mismatch(`It recorded ${unasked.map(op => `"${op}"`).join(', ')}, and now ended without asking for it.`);
      return false;
    }
    this.#over = true;
    this.#untold = true;
    return true;
  }

  /** Of one that was closed; one that was given up since comes to nothing. */
  conclude(end: TaskEnd): void {
    if (!this.#untold) return;
    this.#untold = false;
    this.#link.finish(end);
  }

  /** Ends this execution without an outcome: the node is executed again when nothing holds the run back. */
  hold(): Promise<never> {
    this.end({ type: 'suspended', ops: [], ...this.#executed() });
    return forever();
  }

  /** Gives the handler up: its promise will never settle, and whatever it still does is not recorded. */
  drop(reason: string): void {
    this.#over = true;
    this.#untold = false;
    this.abort.abort(new SignalboxError('Dropped', reason));
  }

  mismatch(difference: string): void {
    if (this.#over) return;
    this.#over = true;
    const { node } = this.#link.task;
    const error: ErrorData = {
      code: 'NonDeterminismError',
      message: `The code of "${node}" does not do what it recorded. ${difference}`,
      details: { difference },
    };
    this.#link.finish({ type: 'mismatch', error });
    this.abort.abort(new SignalboxError('NonDeterminismError', error.message));
  }

  #suspend(): void {
    const { unasked } = this.#delivery;
    if (unasked.length > 0) return this.#watchBlocked();
    this.#suspended = true;
    this.#link.finish({ type: 'suspended', ops: this.#awaited.ops, ...this.#executed() });
  }

  /** For how long it has executed since it was last said, of a node that has a limit to that. */
  #executed(): { readonly executed?: number } {
    if (this.#link.task.compiled.timeout === undefined) return {};
    const now = this.#link.clock.now();
    const executed = now - this.#since;
    this.#since = now;
    return { executed };
  }

  /** The code may still be about to ask for what is missing; after a while it counts as changed. */
  #watchBlocked(): void {
    const missing = this.#delivery.unasked.join(', ');
    const { clock } = this.#link;
    clock.at(clock.now() + MISMATCH_GRACE_MS, () => {
      if (this.#over || missing === '' || this.#delivery.unasked.join(', ') !== missing) return;
      this.mismatch(`It recorded ${missing}, and now waits without asking for it.`);
    });
  }
}

/** Waits for what will not come: the code goes no further here. */
export function forever<Result>(): Promise<Result> {
  return new Promise<Result>(() => {});
}
