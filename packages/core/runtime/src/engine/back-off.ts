/** First and longest time that a run is left alone, ms. */
const FIRST = 5_000;
const LONGEST = 300_000;

interface Pause {
  readonly until: number;
  readonly length: number;
}

/**
 * Runs that this process cannot drive for now (no handlers, a log that cannot be read): the sweep passes them over for a
 * while, twice as long each time. Whoever asks for such a run by name is not held up.
 */
export class BackOff {
  readonly #pauses = new Map<string, Pause>();

  failed(runId: string, now: number): void {
    const length = Math.min(LONGEST, (this.#pauses.get(runId)?.length ?? FIRST / 2) * 2);
    this.#pauses.set(runId, { until: now + length, length });
  }

  isOff(runId: string, now: number): boolean {
    const pause = this.#pauses.get(runId);
    return pause !== undefined && now < pause.until;
  }

  forget(runId: string): void {
    this.#pauses.delete(runId);
  }

  /** What is not due any more is not kept. */
  keepOnly(due: ReadonlySet<string>): void {
    for (const runId of [...this.#pauses.keys()]) if (!due.has(runId)) this.#pauses.delete(runId);
  }

  clear(): void {
    this.#pauses.clear();
  }
}
