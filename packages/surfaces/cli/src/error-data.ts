import { isSignalboxError, type JsonObject } from '@signalbox/kernel';

/** An error as programs get it. */
export interface ErrorData {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly details: JsonObject;
}

export function errorData(error: unknown): ErrorData {
  if (isSignalboxError(error)) {
    const { code, message, hint = null, details } = error;
    return { code, message, hint, details };
  }
  return { code: 'Failed', message: error instanceof Error ? error.message : String(error), hint: null, details: {} };
}

/** An error that stands in the document printed already; only its exit code is left to give. */
export class ToldError extends Error {
  constructor(cause: unknown) {
    super('told', { cause });
    this.name = 'ToldError';
  }
}
