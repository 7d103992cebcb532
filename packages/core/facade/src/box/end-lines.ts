import type { EventStore } from '@signalbox/ports';
import { type Committed, readCommits, trail } from '@signalbox/runtime';

/** Where lines are logged: `console`, a logger of pino, winston or the like, or a part of one. */
export interface Logger {
  info(line: string): void;
  /** Of a run that failed; without it, `info`. */
  error?(line: string): void;
}

const ENDS: ReadonlySet<string> = new Set(['run.completed', 'run.failed', 'run.cancelled']);

interface EndLinesDeps {
  readonly logger: Logger;
  readonly store: EventStore;
  readonly onError: (error: unknown, runId: string) => void;
}

/**
 * Logs a line for each run that ends in this process: `intake → classify → reply (completed, 41 ms)  run_…  support-desk`.
 *  1. The line is read from the log, without keys: what is sensitive in it is masked.
 *  2. A run waits for no line, and a logger that throws changes nothing but what `onError` is told.
 */
export class EndLines {
  readonly #deps: EndLinesDeps;
  readonly #underWay = new Set<Promise<void>>();

  constructor(deps: EndLinesDeps) {
    this.#deps = deps;
  }

  committed({ runId, events }: Committed, graph: string): void {
    const end = events.findLast(({ type }) => ENDS.has(type));
    if (end === undefined) return;
    const line = this.#log(runId, graph, end.type === 'run.failed').catch(error => this.#deps.onError(error, runId));
    this.#underWay.add(line);
    void line.then(() => this.#underWay.delete(line));
  }

  /** Resolves when all that has ended by now is logged. */
  async logged(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async #log(runId: string, graph: string, isFailure: boolean): Promise<void> {
    const { logger, store } = this.#deps;
    const line = `${await trail(readCommits(store, runId))}  ${runId}  ${graph}`;
    if (isFailure && logger.error !== undefined) logger.error(line);
    else logger.info(line);
  }
}
