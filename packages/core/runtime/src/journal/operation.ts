import type { Amounts, Bound, EffectClass, JsonObject, OpKind } from '@signalbox/kernel';
import type { EffectResult } from './effect-result.ts';
import type { RunOptions } from './run-options.ts';

/**
 * One operation that reaches outside, as the journal needs it told.
 *  1. One of class `once`, and one that reserves, writes its intent before it is begun.
 *  2. `spent` is asked once, for what the operation came to, be it a failure. How long it took is the kernel's to reckon.
 */
export interface Operation {
  readonly kind: OpKind;
  readonly class: EffectClass;
  readonly args?: unknown;
  /** What the intent says of it, beside the digest of its arguments. */
  readonly request?: JsonObject | undefined;
  readonly onDoubt?: 'ask' | 'retry' | 'fail' | undefined;
  /** A duration; default 30s. */
  readonly timeout?: string | undefined;
  /** The idempotency key; default: derived from the place in the journal. */
  readonly key?: string | undefined;
  readonly reserve?: Amounts;
  /** Read when the intent is written: what is shared with other runs may have changed since. */
  readonly bounds?: () => Promise<readonly Bound[]>;
  /** The operation whose answer approved it; it lets nothing else happen, and not the same again. */
  readonly approval?: string | undefined;
  readonly spent?: (result: EffectResult) => Amounts | undefined;
}

export function operationOf({ once, onDoubt, timeout, key, args }: RunOptions): Operation {
  return { kind: 'run', class: once === true ? 'once' : 'repeat', onDoubt, timeout, key, args };
}

export function needsIntent({ class: effect, reserve }: Operation): boolean {
  return effect === 'once' || reserve !== undefined;
}
