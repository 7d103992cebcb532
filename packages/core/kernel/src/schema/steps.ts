import type { JsonValue } from '../json/value.ts';

/**
 * What checking one value may come to: so many schemas entered by reference, or so many for each value within it where that
 * is more. A schema that refers to itself from several alternatives doubles the work with every level of the value; no
 * other schema comes near the limit.
 */
export const MOST_STEPS = 250_000;
const MOST_STEPS_PER_VALUE = 8;

class StepsExceeded extends Error {
  override readonly name = 'StepsExceeded';
}

interface Count {
  readonly value: JsonValue;
  steps: number;
  most: number;
}

let current: Count | undefined;

/** Called wherever a schema is entered by reference. */
export function countStep(): void {
  if (current === undefined || ++current.steps <= current.most) return;
  current.most = Math.max(MOST_STEPS, MOST_STEPS_PER_VALUE * sizeOf(current.value));
  if (current.steps > current.most) throw new StepsExceeded();
}

/**
 * What `check` gives; undefined where it takes more steps than `value` may take. All that is checked within it counts as one
 * check.
 */
export function withinSteps<Result>(value: JsonValue, check: () => Result): Result | undefined {
  if (current !== undefined) return check();
  current = { value, steps: 0, most: MOST_STEPS };
  try {
    return check();
  } catch (error) {
    if (error instanceof StepsExceeded) return undefined;
    throw error;
  } finally {
    current = undefined;
  }
}

function sizeOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((size, member) => size + sizeOf(member), 1);
}
