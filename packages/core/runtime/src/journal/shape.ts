import { SignalboxError, toJsonValue } from '@signalbox/kernel';

/** @throws SignalboxError `InvalidValue` with the message, unless the condition holds. */
export function requireThat(condition: boolean, message: string): asserts condition {
  if (!condition) throw new SignalboxError('InvalidValue', message);
}

/** A text that every store can hold: no NUL, no half of a surrogate pair. @throws SignalboxError `InvalidValue`. */
export function textOf(raw: unknown, what: string): string {
  requireThat(typeof raw === 'string', `${what} is no text.`);
  const told = toJsonValue(raw);
  requireThat(told.ok, told.ok ? '' : `${what} is no text that can be kept: ${told.message}.`);
  return raw;
}

export function optionalText(raw: unknown, what: string): string | undefined {
  return raw === undefined ? undefined : textOf(raw, what);
}
