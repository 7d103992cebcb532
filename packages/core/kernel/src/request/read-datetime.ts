import { isSignalboxError } from '../error/error.ts';
import { formatInstant, isDateTime, parseInstant } from '../time/instant.ts';

/** A date alone names a day and no instant. */
const WITH_TIME = /^\d{4}-\d{2}-\d{2}[Tt ]/;

/**
 * A date and time as given in a form: `stored` is the text itself where it has an offset, else the instant that the
 * local time is in `zone`, as RFC 3339 in UTC. Undefined for what is no date and time, or one that does not exist.
 * @throws SignalboxError `InvalidZone`
 */
export function readDateTimeIn(text: string, zone: string): { ms: number; stored: string } | undefined {
  if (!WITH_TIME.test(text)) return undefined;
  try {
    const ms = parseInstant(text, zone);
    return { ms, stored: isDateTime(text) ? text : formatInstant(ms) };
  } catch (error) {
    if (isSignalboxError(error) && error.code === 'InvalidInstant') return undefined;
    throw error;
  }
}
