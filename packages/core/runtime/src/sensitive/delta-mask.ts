import type { Secrets } from './secrets.ts';

/**
 * Masks a text that comes in parts as it is masked whole: what may be the beginning of something sensitive is held back
 * until more has come.
 */
export class DeltaMask {
  /** Asked anew at each part: more may be known by then. */
  readonly #secrets: () => Secrets;
  #held = '';

  constructor(secrets: () => Secrets) {
    this.#secrets = secrets;
  }

  /** What may be shown by now; empty where all of it is held back. */
  next(delta: string): string {
    const { shown, held } = this.#secrets().maskedBeginning(this.#held + delta);
    this.#held = held;
    return shown;
  }

  /** What was held back, when nothing more comes. */
  end(): string {
    const rest = this.#secrets().maskedText(this.#held);
    this.#held = '';
    return rest;
  }
}
