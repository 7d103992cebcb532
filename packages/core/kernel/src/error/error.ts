import type { JsonObject } from '../json/value.ts';

/**
 * An error that a user can meet. `code` is stable and has a page `docs/errors/<code>.md`; `hint` says what to do.
 * Errors of different copies of this package must still be recognised, so test with {@link isSignalboxError}, never `instanceof`.
 */
export class SignalboxError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  readonly details: JsonObject;

  constructor(code: string, message: string, options: { hint?: string; details?: JsonObject; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = code;
    this.code = code;
    this.hint = options.hint;
    this.details = options.details ?? {};
  }
}

const BRAND = Symbol.for('signalbox.error');
Object.defineProperty(SignalboxError.prototype, BRAND, { value: true });

export function isSignalboxError(error: unknown): error is SignalboxError {
  return typeof error === 'object' && error !== null && BRAND in error;
}
