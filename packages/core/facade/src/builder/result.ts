/**
 * What a handler may return instead of an output. Plain data under a registered symbol, so that results of another
 * copy of this package are recognised; the symbol's value names the kind.
 */
export const RESULT: unique symbol = Symbol.for('signalbox.result');

/** Set to `true` on an error that no retry may repeat. */
export const PERMANENT: unique symbol = Symbol.for('signalbox.permanent');

/** A wish to go on at one of the nodes that the node declares as `next`; recorded as a decision. */
export interface NextResult<To extends string = string, Output = unknown> {
  readonly [RESULT]: 'next';
  readonly to: To;
  readonly output?: Output;
  readonly reason?: string;
  /** 0 to 1. */
  readonly confidence?: number;
  /** What was chosen from; absent: the declared `next`. */
  readonly options?: readonly string[];
}

/** The node has failed. Not retried unless `retry` says so. */
export interface FailedResult {
  readonly [RESULT]: 'failed';
  readonly code: string;
  readonly message: string;
  readonly permanent?: boolean;
  readonly retry?: boolean;
}

/** The node had nothing to do: outcome `skipped`. */
export interface SkippedResult {
  readonly [RESULT]: 'skipped';
  readonly reason?: string;
}

/** Try this node again, by its policy or after the time named; an attempt is counted. */
export interface RetryResult {
  readonly [RESULT]: 'retry';
  /** A duration. */
  readonly after?: string;
}

export type HandlerResult = NextResult | FailedResult | SkippedResult | RetryResult;

export function next<const To extends string, Output = never>(
  to: To,
  wish: Omit<NextResult<To, Output>, typeof RESULT | 'to'> = {},
): NextResult<To, Output> {
  return { ...wish, [RESULT]: 'next', to };
}

export function failed(
  code: string,
  message: string,
  options: { readonly permanent?: boolean; readonly retry?: boolean } = {},
): FailedResult {
  return { ...options, [RESULT]: 'failed', code, message };
}

export function skipped(reason?: string): SkippedResult {
  return { [RESULT]: 'skipped', ...(reason === undefined ? {} : { reason }) };
}

export function retry(after?: string): RetryResult {
  return { [RESULT]: 'retry', ...(after === undefined ? {} : { after }) };
}

export function isHandlerResult(value: unknown): value is HandlerResult {
  return typeof value === 'object' && value !== null && RESULT in value;
}

/** Marks an error as one that no retry may repeat, whatever the policy says: `throw permanent(error)`. */
export function permanent(error: unknown): Error {
  const marked =
    error instanceof Error && Object.isExtensible(error)
      ? error
      : new Error(error instanceof Error ? error.message : String(error), { cause: error });
  Object.defineProperty(marked, PERMANENT, { value: true, configurable: true });
  return marked;
}

export function isPermanent(error: unknown): boolean {
  return typeof error === 'object' && error !== null && PERMANENT in error && error[PERMANENT] === true;
}
