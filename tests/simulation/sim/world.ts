import type { Clock } from '@signalbox/ports';
import type { Random } from './random.ts';

/** Something that a process waits for; it comes when the scheduler picks it. */
export interface Parked {
  readonly owner: object;
  readonly label: string;
  go(): void;
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

/** The time a process sees; `skew` ms ahead of or behind the world's. */
export interface ProcessClock extends Clock {
  kill(): void;
  /** Beats what is due; a frozen process does not beat. */
  beat(): void;
}

/**
 * What all processes of a simulation share: time, turns and the order in which things come.
 *  1. Nothing goes on by itself: a store call, an effect, a timer, a turn goes on because the scheduler said so.
 *  2. The same seed gives the same order.
 */
export class World {
  now = Date.UTC(2026, 0, 1);
  readonly trace: string[] = [];
  readonly parked: Parked[] = [];
  readonly #timers: Timer[] = [];
  #turns = 0;

  note(line: string): void {
    this.trace.push(line);
  }

  park(owner: object, label: string): Promise<void> {
    return new Promise(resolve => this.parked.push({ owner, label, go: resolve }));
  }

  unpark(owner: object): void {
    for (let index = this.parked.length - 1; index >= 0; index -= 1)
      if (this.parked[index]!.owner === owner) this.parked.splice(index, 1);
  }

  /** Lets one parked thing of those allowed go on. */
  release(random: Random, allowed: (owner: object) => boolean): boolean {
    const open = this.parked.filter(({ owner }) => allowed(owner));
    if (open.length === 0) return false;
    const chosen = random.pick(open);
    this.parked.splice(this.parked.indexOf(chosen), 1);
    this.note(chosen.label);
    chosen.go();
    return true;
  }

  /** Until nothing moves that does not wait for the scheduler. */
  async quiet(): Promise<void> {
    do {
      await new Promise(resolve => setImmediate(resolve));
    } while (this.#turns > 0);
  }

  get nextTimer(): number | undefined {
    return this.#timers[0]?.at;
  }

  /** Time goes on to `at`; at most one timer fires, the first that is due. */
  tickTo(at: number): void {
    this.now = Math.max(this.now, at);
    const timer = this.#timers[0];
    if (timer === undefined || timer.at > this.now) return;
    this.#timers.shift();
    timer.fn();
  }

  clock(skew: number): ProcessClock {
    const own = new Set<Timer>();
    const rhythms = new Set<Rhythm>();
    let alive = true;
    const remove = (timer: Timer) => {
      own.delete(timer);
      const index = this.#timers.indexOf(timer);
      if (index !== -1) this.#timers.splice(index, 1);
    };
    return {
      now: () => this.now + skew,
      at: (at, fn) => {
        if (!alive) return () => {};
        const timer: Timer = {
          at: at - skew,
          fn: () => {
            own.delete(timer);
            fn();
          },
        };
        own.add(timer);
        let index = this.#timers.length;
        while (index > 0 && this.#timers[index - 1]!.at > timer.at) index -= 1;
        this.#timers.splice(index, 0, timer);
        return () => remove(timer);
      },
      every: (period, fn) => {
        const rhythm = { period, fn, last: this.now };
        rhythms.add(rhythm);
        return () => rhythms.delete(rhythm);
      },
      soon: fn => {
        if (!alive) return;
        this.#turns += 1;
        setImmediate(() => {
          this.#turns -= 1;
          if (alive) fn();
        });
      },
      kill() {
        alive = false;
        for (const timer of [...own]) remove(timer);
        rhythms.clear();
      },
      beat: () => {
        for (const rhythm of [...rhythms]) {
          if (this.now - rhythm.last < rhythm.period) continue;
          rhythm.last = this.now;
          rhythm.fn();
        }
      },
    };
  }
}
