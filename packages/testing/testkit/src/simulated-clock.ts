import { parseDuration } from '@signalbox/kernel';
import type { Clock } from '@signalbox/ports';

/** 2026-01-01T00:00:00Z: where simulated time begins unless it is told otherwise. */
export const SIMULATED_START = Date.UTC(2026, 0, 1);

export interface SimulatedClock extends Clock {
  /**
   * Lets that much time pass: `2h`, `30s`, `3650d`, or milliseconds. Timers fire in order of their time, and all that one
   * of them sets going comes to rest before the next. No real time passes.
   * Work that waits for the real world (a socket, a file, a real timer) is not waited for.
   */
  advance(by: string | number): Promise<void>;
  /** Resolves when everything that can go on without time or the outside world has done so. */
  settle(): Promise<void>;
  /** When the next timer fires, or undefined. */
  readonly next: number | undefined;
}

interface Timer {
  readonly at: number;
  readonly fn: () => void;
}

interface Rhythm {
  readonly period: number;
  readonly fn: () => void;
  last: number;
}

/** Turns without anything of ours in them, after which nothing is expected any more: user code may take some of its own. */
const QUIET_TURNS = 3;

/**
 * A clock that stands still until it is told to go on.
 *  1. `now` never goes back, and inside a timer's `fn` it is that timer's time.
 *  2. Timers of one instant fire in the order in which they were set; what is due already fires in the next turn.
 *  3. A rhythm (`every`) beats once at most for each stop of the clock, before the timers of that instant: a century
 *     without timers costs one beat.
 */
export function createSimulatedClock(options: { readonly start?: number | string } = {}): SimulatedClock {
  const { start = SIMULATED_START } = options;
  let now = typeof start === 'number' ? start : Date.parse(start);
  if (!Number.isSafeInteger(now)) throw new RangeError(`"${start}" is no time.`);
  const timers: Timer[] = [];
  const rhythms = new Set<Rhythm>();
  let turns = 0;

  function soon(fn: () => void): void {
    turns += 1;
    setImmediate(() => {
      turns -= 1;
      fn();
    });
  }

  function insert(timer: Timer): void {
    let index = timers.length;
    while (index > 0 && timers[index - 1]!.at > timer.at) index -= 1;
    timers.splice(index, 0, timer);
  }

  function remove(timer: Timer): boolean {
    const index = timers.indexOf(timer);
    if (index !== -1) timers.splice(index, 1);
    return index !== -1;
  }

  async function settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; quiet = turns > 0 ? 0 : quiet + 1)
      await new Promise(resolve => setImmediate(resolve));
  }

  async function stopAt(at: number): Promise<void> {
    now = at;
    const missed = [...rhythms].filter(rhythm => at - rhythm.last >= rhythm.period);
    for (const rhythm of missed) {
      rhythm.last = at;
      rhythm.fn();
    }
    if (missed.length > 0) await settle();
    while (timers[0] !== undefined && timers[0].at <= now) {
      timers.shift()!.fn();
      await settle();
    }
  }

  return {
    now: () => now,
    at(at, fn) {
      const timer = { at, fn };
      insert(timer);
      if (at <= now) soon(() => remove(timer) && fn());
      return () => {
        remove(timer);
      };
    },
    every(period, fn) {
      const rhythm = { period, fn, last: now };
      rhythms.add(rhythm);
      return () => {
        rhythms.delete(rhythm);
      };
    },
    soon,
    settle,
    async advance(by) {
      const until = now + (typeof by === 'number' ? by : parseDuration(by));
      if (!Number.isSafeInteger(until) || until < now) throw new RangeError(`Time cannot pass by ${by}.`);
      await settle();
      while (timers[0] !== undefined && timers[0].at <= until) await stopAt(Math.max(now, timers[0].at));
      await stopAt(until);
    },
    get next() {
      return timers[0]?.at;
    },
  };
}
