/** Turns in which nothing moves, after which code that waits for its journal alone has gone as far as it can. */
const QUIET_TURNS = 30;
/** Pause between two looks at code that does something of its own, ms. */
const LOOK_MS = 2;

/** Waits for real code, in real time: it may read a file between two operations, whatever the time of the run is. */
export class Waiting {
  readonly #patience: number;
  #turns = 0;
  #since = performance.now();

  /** @param patience ms without a move after which nothing more is expected. */
  constructor(patience: number) {
    this.#patience = patience;
  }

  /** Something has moved. */
  again(): void {
    this.#turns = 0;
    this.#since = performance.now();
  }

  async turn(): Promise<void> {
    this.#turns += 1;
    const { isQuiet } = this;
    await new Promise<void>(resolve => (isQuiet ? setTimeout(resolve, LOOK_MS) : setImmediate(resolve)));
  }

  get isQuiet(): boolean {
    return this.#turns >= QUIET_TURNS;
  }

  get isOver(): boolean {
    return performance.now() - this.#since >= this.#patience;
  }
}
