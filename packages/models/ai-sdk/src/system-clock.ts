import type { Clock } from '@signalbox/ports';

/** The waits of a call are minutes at most, so an ordinary timer holds them. */
export const SYSTEM_CLOCK: Pick<Clock, 'now' | 'at'> = {
  now: () => Date.now(),
  at(at, fn) {
    const timer = setTimeout(fn, Math.max(0, at - Date.now()));
    return () => clearTimeout(timer);
  },
};
