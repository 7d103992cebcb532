import type { Clock } from '@signalbox/ports';

/** How long the drivers of a process may work in one turn of the event loop, ms. */
const TURN_MS = 8;

/**
 * Lets timers and sockets have their turn while hundreds of runs have something to do at once.
 *  1. Commits of one group wake many drivers in one turn; what they do beyond `TURN_MS` waits for the next.
 *  2. No more is decided than the store can write soon: commits in line before it hold memory and make nothing faster.
 *  3. Who has to wait goes on in the order of asking.
 *
 * Both bounds are kept roughly: whoever was called on decides at once and sends a moment later.
 */
export class Breath {
  readonly #clock: Clock;
  readonly #mostInAir: number;
  readonly #line: (() => void)[] = [];
  #turnBegan: number | undefined;
  #inAir = 0;
  #isCalling = false;

  /** `mostInAir`: commits of all runs that may be on their way to the store at once. */
  constructor(clock: Clock, mostInAir = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#mostInAir = mostInAir;
  }

  /** Undefined when work may begin at once; else resolves when it may. */
  take(): Promise<void> | undefined {
    if (this.#line.length === 0 && this.#hasRoom()) return undefined;
    return new Promise(resolve => this.#line.push(resolve));
  }

  /** A commit was given to the store. */
  sent(): void {
    this.#inAir += 1;
  }

  /** The store has answered. */
  answered(): void {
    this.#inAir -= 1;
    void this.#callOn();
  }

  #hasRoom(): boolean {
    return this.#inAir < this.#mostInAir && this.#clock.now() - this.#began() < TURN_MS;
  }

  #began(): number {
    if (this.#turnBegan === undefined) {
      this.#turnBegan = this.#clock.now();
      this.#clock.soon(() => {
        this.#turnBegan = undefined;
        void this.#callOn();
      });
    }
    return this.#turnBegan;
  }

  /** One at a time: what each does is seen before the next is called. */
  async #callOn(): Promise<void> {
    if (this.#isCalling) return;
    this.#isCalling = true;
    while (this.#line.length > 0 && this.#hasRoom()) {
      this.#line.shift()!();
      await undefined;
    }
    this.#isCalling = false;
  }
}
