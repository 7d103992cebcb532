/** Tells who waits for a run that something happened to it, in this process or another. */
export class Changes {
  readonly #waiting = new Map<string, Set<() => void>>();

  /**
   * Resolves at the next change of the run, or after `timeout` ms of real time: what another process did may be seen
   * late. Its timer keeps the process alive as long as somebody waits.
   */
  next(runId: string, timeout: number): Promise<void> {
    return new Promise(resolve => {
      const waiters = this.#waiting.get(runId) ?? new Set();
      const done = () => {
        clearTimeout(timer);
        waiters.delete(done);
        if (waiters.size === 0) this.#waiting.delete(runId);
        resolve();
      };
      const timer = setTimeout(done, timeout);
      waiters.add(done);
      this.#waiting.set(runId, waiters);
    });
  }

  changed(runId: string): void {
    for (const done of [...(this.#waiting.get(runId) ?? [])]) done();
  }

  changedAll(): void {
    for (const runId of [...this.#waiting.keys()]) this.changed(runId);
  }
}
