import type { Run, RunEvent } from '@signalbox/kernel';
import type { Queued } from './command-queue.ts';

/** Steps of a run that may run before those ahead of them are on disk, unless the engine is told otherwise. */
export const RUN_AHEAD = 4;

/** A step that did nothing else leaves everything that is at work in this run as it is. */
const PLAIN: ReadonlySet<RunEvent['type']> = new Set([
  'decision.made',
  'node.succeeded',
  'state.changed',
  'route.decided',
  'node.started',
]);

/**
 * What has to be true of a commit before the next step begins.
 * `landed`: the store has answered, and it survives what was promised. `written`: it survives the death of this process.
 */
export type Needed = 'nothing' | 'written' | 'landed';

/**
 * Only after the end of a node that neither wakes, cancels nor tells anybody may the next step begin before the commit has
 * landed; if it fails, what ran ahead is given up as if it had never begun. What the node has recorded was done outside:
 * that is written before any code of another node runs, lest a crash there leave it in doubt.
 */
export function neededBeforeNext(batch: readonly Queued[], events: readonly RunEvent[]): Needed {
  for (const { body, execution } of batch)
    if (execution === undefined || body.type !== 'report' || body.end?.type !== 'success') return 'landed';
  let needed: Needed = 'nothing';
  for (const { type } of events)
    if (type === 'op.recorded') needed = 'written';
    else if (!PLAIN.has(type)) return 'landed';
  return needed;
}

/**
 * Keeps a run from running ahead while a step of it may be what kills its driver: so many steps as may have been lost with
 * the last one are on disk, each, before they begin, and the crash is counted at the node that made it (`CrashLoop`).
 */
export class Caution {
  readonly #steps: number;
  #left = 0;

  constructor(runAhead: number) {
    this.#steps = runAhead + 1;
  }

  /** The run was taken over. */
  claimed(run: Run): void {
    for (const { at } of run.tokens.values()) if (at.kind === 'node' && at.crashes > 0) this.#left = this.#steps;
  }

  /** Whether the step that is taken now must be on disk before the next; counts it. */
  takesStep(): boolean {
    if (this.#left === 0) return false;
    this.#left -= 1;
    return true;
  }
}
