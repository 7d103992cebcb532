import type { Decision, RunEvent } from '@signalbox/kernel';
import type { TaskExecution } from '../journal/execution.ts';
import type { Queued } from './command-queue.ts';

/** One commit on its way to the store, with the commands it carries out. */
export interface Flight {
  /** Counts the commits of a driver, from 1. */
  readonly number: number;
  readonly batch: readonly Queued[];
  readonly decisions: readonly Decision[];
  readonly events: readonly RunEvent[];
  readonly firstSeq: number;
}

export interface FailedFlight extends Flight {
  readonly error: unknown;
}

/**
 * The commits of one run that the store has been given and has not yet answered for.
 *  1. They land in the order in which they were sent, each on the one before: when one fails, so do all behind it.
 *  2. Nothing is told of a commit before it has landed; nothing is decided after one has failed until `takeFailed`.
 */
export class Flights {
  #sent = 0;
  #inAir = 0;
  #failed: FailedFlight[] = [];
  #waiters: (() => void)[] = [];

  /** The number of the last commit that was sent. */
  get last(): number {
    return this.#sent;
  }

  get size(): number {
    return this.#inAir;
  }

  get haveFailed(): boolean {
    return this.#failed.length > 0;
  }

  get isEmpty(): boolean {
    return this.#inAir === 0 && this.#failed.length === 0;
  }

  /** `over` is called once the store has answered: with the flight that landed, or with nothing when it failed. */
  send(
    { batch, decisions, events, firstSeq }: Omit<Flight, 'number'>,
    landing: Promise<void>,
    over: (landed: Flight | undefined) => void,
  ): void {
    this.#sent += 1;
    this.#inAir += 1;
    const flight = { number: this.#sent, batch, decisions, events, firstSeq };
    landing.then(
      () => this.#down(flight, over),
      error => {
        this.#failed.push({ ...flight, error });
        this.#down(undefined, over);
      },
    );
  }

  #down(landed: Flight | undefined, over: (landed: Flight | undefined) => void): void {
    this.#inAir -= 1;
    over(landed);
    if (this.#inAir > 0 || this.#waiters.length === 0) return;
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  /** Resolves when none is in the air any more. */
  settled(): Promise<void> {
    if (this.#inAir === 0) return Promise.resolve();
    return new Promise(resolve => this.#waiters.push(resolve));
  }

  takeFailed(): FailedFlight[] {
    const failed = this.#failed;
    this.#failed = [];
    return failed.sort((a, b) => a.number - b.number);
  }
}

/** The executions that reported what these would have recorded. */
export function* executionsOf(flights: readonly Flight[]): Generator<TaskExecution> {
  for (const { batch } of flights) for (const { execution } of batch) if (execution !== undefined) yield execution;
}
