import { parseDuration } from '@signalbox/kernel';
import type { Clock } from '@signalbox/ports';
import type { Failure } from './failure.ts';

/** How often, and after which waits, a request is sent again that failed for a passing reason. */
export interface Retrying {
  /** Requests in all, the first included; default 4. */
  readonly attempts?: number;
  /** Wait before the second; it doubles from there, and half of it is drawn. Default 1s. */
  readonly backoff?: string;
  /** The longest wait, also where the server asks for one: if it asks for more, the call fails at once. Default 1m. */
  readonly maxBackoff?: string;
}

/** ms before the next request; undefined: no more. `made`: requests made so far. */
export type Waits = (made: number, failure: Failure) => number | undefined;

export function waits({ attempts = 4, backoff = '1s', maxBackoff = '1m' }: Retrying, random: () => number): Waits {
  const [first, longest] = [parseDuration(backoff), parseDuration(maxBackoff)];
  return (made, { passing, retryAfter }) => {
    if (!passing || made >= attempts) return undefined;
    // Sooner than it asks would only be refused again.
    if (retryAfter !== undefined) return retryAfter <= longest ? retryAfter : undefined;
    const wait = Math.min(first * 2 ** (made - 1), longest);
    return Math.round(wait / 2 + (wait / 2) * random());
  };
}

/** Resolves after `ms`; rejects with the reason of the signal. */
export function sleep(ms: number, clock: Pick<Clock, 'now' | 'at'>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.at(clock.now() + ms, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
