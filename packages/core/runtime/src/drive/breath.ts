import type { Clock } from '@signalbox/ports';

/** How long the drivers of a process may work in one turn of the event loop, ms. */
const TURN_MS = 8;

/**
 * Lets timers and sockets have their turn while hundreds of runs have something to do at once: commits of one group wake
 * many drivers in one turn, and what they then do would hold up everything else.
 */
export class Breath {
  readonly #clock: Clock;
  #turn: { readonly began: number; readonly over: Promise<void> } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves in the next turn when this one has lasted long enough; undefined before that. */
  take(): Promise<void> | undefined {
    this.#turn ??= { began: this.#clock.now(), over: this.#nextTurn() };
    return this.#clock.now() - this.#turn.began < TURN_MS ? undefined : this.#turn.over;
  }

  #nextTurn(): Promise<void> {
    return new Promise(resolve =>
      this.#clock.soon(() => {
        this.#turn = undefined;
        resolve();
      }),
    );
  }
}
