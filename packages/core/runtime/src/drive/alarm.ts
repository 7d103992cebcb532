import type { Clock } from '@signalbox/ports';

/**
 * The one timer of a driver at work: rings when time alone next changes its run, whatever its handlers do meanwhile.
 * One that has rung for nothing is not set for the same time again until something has changed.
 */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #set: { readonly at: number; readonly stop: () => void } | undefined;
  #rung: { readonly at: number; readonly seq: number } | undefined;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** `at`: epoch ms, undefined when time changes nothing; `seq`: how far the run is. */
  set(at: number | undefined, seq: number): void {
    if (at === this.#set?.at) return;
    this.clear();
    if (at === undefined || (at === this.#rung?.at && seq === this.#rung.seq)) return;
    const stop = this.#clock.at(at, () => {
      this.#set = undefined;
      if (this.#clock.now() < at) return this.set(at, seq);
      this.#rung = { at, seq };
      this.#ring();
    });
    this.#set = { at, stop };
  }

  clear(): void {
    this.#set?.stop();
    this.#set = undefined;
  }
}
