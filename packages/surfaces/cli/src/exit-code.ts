import { isSignalboxError } from '@signalbox/kernel';
import type { RunView } from '@signalbox/runtime';

export const DONE = 0;
export const REFUSED = 1;
export const INVALID = 2;
export const WAITS = 10;
export const INTERRUPTED = 130;

/** Exit code by status of a run. */
export const OF_STATUS: Readonly<Record<RunView['status'], number>> = {
  completed: DONE,
  suspended: WAITS,
  paused: WAITS,
  failed: REFUSED,
  cancelled: REFUSED,
  // A run that is still at work when nobody here can go on with it.
  running: REFUSED,
  cancelling: REFUSED,
  compensating: REFUSED,
};

export function exitCodeOfStatus(status: RunView['status']): number {
  return OF_STATUS[status];
}

/** Wrong names and values are the caller's to mend; everything else was refused or failed. */
const INVALID_CODES =
  /^(Invalid|Unknown|Ambiguous)|^(Usage|ActionRequired|NotInteractive|StoreMissing|TooDeep|TooLarge|PointOutOfRange|ModuleFailed|ImportInvalid)$/;

export function exitCodeOfError(error: unknown): number {
  return isSignalboxError(error) && INVALID_CODES.test(error.code) ? INVALID : REFUSED;
}
