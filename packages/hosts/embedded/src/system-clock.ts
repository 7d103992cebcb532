import type { Clock, IdGenerator } from '@signalbox/ports';
import { v7 } from 'uuid';

/** Timers of the platform hold 2^31 ms at most; longer ones are set again until their time is there. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function createSystemClock(): Clock {
  return {
    now: () => Date.now(),
    at(at, fn) {
      let timer: NodeJS.Timeout;
      const set = () => {
        const left = at - Date.now();
        timer = setTimeout(left > LONGEST_TIMER_MS ? set : ring, Math.min(Math.max(left, 0), LONGEST_TIMER_MS));
        timer.unref();
      };
      // Timers may ring a moment early; nobody is called before the time.
      const ring = () => (Date.now() < at ? set() : fn());
      set();
      return () => clearTimeout(timer);
    },
    every(period, fn) {
      const timer = setInterval(fn, Math.min(period, LONGEST_TIMER_MS));
      timer.unref();
      return () => clearInterval(timer);
    },
    soon(fn) {
      setImmediate(fn);
    },
  };
}

export function createIdGenerator(): IdGenerator {
  return { uuid: () => v7() };
}
