import type { ErrorData, JsonValue } from '@signalbox/kernel';
import { errorDataOf } from './error-data.ts';
import { recorded } from './freeze.ts';

/** How an effect ended, or what became of it in time. */
export type EffectResult =
  /** `attempts`: where it took more than one. */
  | { readonly value: JsonValue; readonly attempts?: number; readonly late?: undefined }
  /** `late`: it took too long, and this is how it ends after all; undefined when that says nothing. Never rejects. */
  | { readonly error: ErrorData; readonly thrown?: unknown; readonly late?: Promise<EffectResult | undefined> };

type Fact = { readonly value: JsonValue; readonly attempts?: number } | { readonly error: ErrorData };

export function factOf(result: EffectResult): Fact {
  if ('error' in result) return { error: result.error };
  const { value, attempts } = result;
  return attempts === undefined ? { value } : { value, attempts };
}

/** A result that is not JSON is recorded as a failure for good: the effect has happened and is not repeated. */
export function toResult(op: string, value: unknown): EffectResult {
  try {
    return { value: recorded(value, `The result of "${op}"`) };
  } catch (thrown) {
    return { error: { ...errorDataOf(thrown), permanent: true }, thrown };
  }
}

/** What is thrown by one that was told to stop does not say what it had done by then. */
export async function lateResult(op: string, begun: PromiseLike<unknown>): Promise<EffectResult | undefined> {
  try {
    return toResult(op, await begun);
  } catch {
    return undefined;
  }
}
