/** Whoever waits for a job. */
export interface Settled {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Jobs that have landed and wait for a sync, in order. */
export class WrittenJobs {
  #jobs: { readonly of: Settled; readonly value: unknown }[] = [];
  #waiters: (() => void)[] = [];

  get size(): number {
    return this.#jobs.length;
  }

  add(of: Settled, value: unknown): void {
    this.#jobs.push({ of, value });
  }

  synced(): void {
    for (const { of, value } of this.#take()) of.resolve(value);
  }

  failed(error: Error): void {
    for (const { of } of this.#take()) of.reject(error);
  }

  #take(): readonly { readonly of: Settled; readonly value: unknown }[] {
    const jobs = this.#jobs;
    if (jobs.length === 0) return jobs;
    this.#jobs = [];
    for (const resolve of this.#waiters.splice(0)) resolve();
    return jobs;
  }

  /** Resolves when none is left that waits now; undefined when none does. */
  over(): Promise<void> | undefined {
    if (this.#jobs.length === 0) return undefined;
    return new Promise(resolve => this.#waiters.push(resolve));
  }
}
