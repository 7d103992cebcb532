import { SignalboxError } from '@signalbox/kernel';

export function unknownRun(runId: string): SignalboxError {
  return new SignalboxError('UnknownRun', `There is no run ${runId}.`, { hint: 'See `signalbox runs`.' });
}
