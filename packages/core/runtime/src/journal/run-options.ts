import { parseDuration } from '@signalbox/kernel';
import { optionalText, requireThat } from './shape.ts';

export interface RunOptions {
  readonly once?: boolean;
  readonly onDoubt?: 'ask' | 'retry' | 'fail';
  readonly timeout?: string;
  readonly key?: string;
  readonly args?: unknown;
}

const ON_DOUBT: ReadonlySet<unknown> = new Set([undefined, 'ask', 'retry', 'fail']);

/**
 * Looked at before anything of the operation is recorded or done.
 * @throws SignalboxError `InvalidValue`, `InvalidDuration`
 */
export function checkRunOptions(options: unknown): asserts options is RunOptions {
  requireThat(typeof options === 'object' && options !== null, 'The options of an operation are no object.');
  const { once, onDoubt, timeout, key } = options as Record<string, unknown>;
  requireThat(once === undefined || typeof once === 'boolean', '`once` is neither true nor false.');
  requireThat(ON_DOUBT.has(onDoubt), '`onDoubt` is none of ask, retry, fail.');
  optionalText(key, 'The `key` of an operation');
  const limit = optionalText(timeout, 'The `timeout` of an operation');
  if (limit !== undefined) parseDuration(limit);
}
