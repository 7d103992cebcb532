import type { Observer } from '../drive/driver-deps.ts';
import { tellError } from '../drive/tell.ts';

/** Work that nobody waits for. Once stopped, none of it is begun, and how it fails is of no interest. */
export class Background {
  readonly #observer: Observer;
  #stopped = false;

  constructor(observer: Observer) {
    this.#observer = observer;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Resolves when the work is over; what it throws is told to the observer. */
  async quietly(work: Promise<unknown>, runId = ''): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (!this.#stopped) tellError({ observer: this.#observer }, error, { runId });
    }
  }
}
