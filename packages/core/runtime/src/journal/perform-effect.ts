import { parseDuration, SignalboxError } from '@signalbox/kernel';
import type { Clock } from '@signalbox/ports';
import { type EffectResult, lateResult, toResult } from './effect-result.ts';
import type { EffectTools, LazyEffectTools } from './effect-tools.ts';
import { errorDataOf } from './error-data.ts';
import type { Operation } from './operation.ts';

/** Wait of an operation that reaches outside, unless it says otherwise (design 4.4). */
const OPERATION_TIMEOUT_MS = 30_000;

export type Effect = (tools: EffectTools) => unknown;

/** Performs an effect within its time. Never rejects: what it throws is how it ended. */
export async function performEffect(
  clock: Clock,
  op: string,
  fn: Effect,
  { timeout: limit }: Pick<Operation, 'timeout'>,
  tools: LazyEffectTools,
): Promise<EffectResult> {
  const timeout = limit === undefined ? OPERATION_TIMEOUT_MS : parseDuration(limit);
  let begun: unknown;
  try {
    begun = fn(tools);
    const result = toResult(op, isThenable(begun) ? await within(clock, timeout, op, begun, tools) : begun);
    return 'error' in result || tools.attempts === 1 ? result : { ...result, attempts: tools.attempts };
  } catch (thrown) {
    const late = tools.expired ? lateResult(op, begun as PromiseLike<unknown>) : undefined;
    return { error: errorDataOf(thrown), thrown, ...(late === undefined ? {} : { late }) };
  }
}

async function within(
  clock: Clock,
  timeout: number,
  op: string,
  begun: PromiseLike<unknown>,
  tools: LazyEffectTools,
): Promise<unknown> {
  let stopTimer = () => {};
  const expiry = new Promise<never>((_, reject) => {
    stopTimer = clock.at(clock.now() + timeout, () => {
      reject(new SignalboxError('OperationTimeout', `Operation "${op}" took longer than ${timeout} ms.`));
      tools.expire();
    });
  });
  try {
    return await Promise.race([begun, expiry]);
  } finally {
    stopTimer();
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}
