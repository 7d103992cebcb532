import type { OpJournal } from './op-journal.ts';
import type { Progress } from './progress.ts';

/** What the function of an operation gets. */
export interface EffectTools {
  readonly idempotencyKey: string;
  /** Aborts when the operation takes too long, or the execution is given up. */
  readonly signal: AbortSignal;
  /** Told by a function that tries again by itself: this is the so-and-so-manieth time. */
  attempted(attempt: number): void;
}

/** Each part is made when the operation takes it. */
export class LazyEffectTools implements EffectTools {
  readonly #journal: OpJournal;
  readonly #progress: Progress;
  readonly #op: string;
  readonly #key: string | undefined;
  #expiry: AbortController | undefined;
  #signal: AbortSignal | undefined;
  #expired = false;
  #attempts = 1;

  constructor(journal: OpJournal, progress: Progress, op: string, key: string | undefined) {
    this.#journal = journal;
    this.#progress = progress;
    this.#op = op;
    this.#key = key;
  }

  get idempotencyKey(): string {
    return this.#key ?? this.#journal.idempotencyKey(this.#op);
  }

  get signal(): AbortSignal {
    this.#expiry ??= new AbortController();
    if (this.#expired) this.#expiry.abort();
    this.#signal ??= AbortSignal.any([this.#expiry.signal, this.#progress.abort.signal]);
    return this.#signal;
  }

  attempted(attempt: number): void {
    this.#attempts = attempt;
  }

  get attempts(): number {
    return this.#attempts;
  }

  get expired(): boolean {
    return this.#expired;
  }

  expire(): void {
    this.#expired = true;
    this.#expiry?.abort();
  }
}
