import type { JsonValue } from '../../json/value.ts';
import type { Loosening } from './loosening.ts';
import type { Parts } from './prepare.ts';

/** What the judges of single keywords need of the whole comparison. */
export interface Comparison {
  /** The constraints of `old` that `now` cannot be shown to keep; none: whatever `now` lets through, `old` does. */
  loosenings(old: Parts, now: Parts, pointer: string): readonly Loosening[];
  /** Whether one value is let through. */
  accepts(parts: Parts, value: JsonValue): boolean;
  /** Shown to have no value in common. */
  areDisjoint(a: Parts, b: Parts): boolean;
}
