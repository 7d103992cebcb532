import { isSignalboxError, SignalboxError } from '@signalbox/kernel';
import { errorDataOf } from '../journal/error-data.ts';
import type { Secrets } from './secrets.ts';

/** The error itself where it says nothing sensitive; else one that says the same with masks, without stack and cause. */
export function maskedError(error: unknown, secrets: Secrets): unknown {
  if (secrets.isEmpty) return error;
  const { code, message, details } = errorDataOf(error);
  const said = error instanceof Error ? [message, error.stack ?? '', String(error.cause ?? '')] : [message];
  const isClean =
    said.every(text => secrets.maskedText(text) === text) && secrets.masked(details ?? null) === (details ?? null);
  if (isClean) return error;
  const hint = isSignalboxError(error) ? error.hint : undefined;
  return new SignalboxError(code, secrets.maskedText(message), {
    ...(hint === undefined ? {} : { hint: secrets.maskedText(hint) }),
    ...(details === undefined ? {} : { details: secrets.masked(details) }),
  });
}
