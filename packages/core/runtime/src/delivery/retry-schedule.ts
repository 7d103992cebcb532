import { isSignalboxError, parseDuration, sha256Hex } from '@signalbox/kernel';
import { invalidChannel } from './invalid-channel.ts';

/** Waits before the 2nd, 3rd … attempt, as Standard Webhooks proposes. */
export const DEFAULT_SCHEDULE = ['5s', '5m', '30m', '2h', '5h', '10h', '14h', '20h', '24h'] as const;

/** A receiver may ask for no longer wait than this, ms. */
const LONGEST_WISH = 24 * 3_600_000;
/** A wait is lengthened by up to this part of it. */
const SPREAD = 0.2;

/** @throws SignalboxError `InvalidChannel` */
export function parseSchedule(channel: string, schedule: readonly string[]): readonly number[] {
  return schedule.map(wait => parseWait(channel, 'schedule', wait));
}

/** @throws SignalboxError `InvalidChannel` */
export function parseWait(channel: string, member: string, duration: string): number {
  try {
    return parseDuration(duration);
  } catch (error) {
    if (!isSignalboxError(error)) throw error;
    throw invalidChannel(channel, `its \`${member}\` is no duration: ${error.message}`);
  }
}

/**
 * How long to wait after an attempt, ms; undefined: it was the last. Messages that failed together do not come back
 * together: the spread is derived from the message, so that it needs no randomness.
 */
export function waitAfter(
  waits: readonly number[],
  { id, attempt, wish = 0 }: { readonly id: string; readonly attempt: number; readonly wish?: number },
): number | undefined {
  const wait = waits[attempt - 1];
  if (wait === undefined) return undefined;
  const part = Number.parseInt(sha256Hex(`${id}/${attempt}`).slice(0, 8), 16) / 0xffff_ffff;
  return Math.max(Math.round(wait * (1 + SPREAD * part)), Math.min(Math.max(wish, 0), LONGEST_WISH));
}
