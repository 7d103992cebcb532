/**
 * A piece of work that is done once at a time: whoever asks while it is under way shares the one that follows, which
 * begins after they asked and so sees what they saw.
 */
export class Coalesced {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  run(): Promise<void> {
    if (this.#running === undefined) return this.#begin();
    this.#next ??= this.#running
      .catch(() => {}) // Told to those who asked for it.
      .then(() => {
        this.#next = undefined;
        return this.#begin();
      });
    return this.#next;
  }

  #begin(): Promise<void> {
    const running = this.#work().finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }
}
