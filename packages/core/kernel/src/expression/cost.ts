/**
 * The bound on what one evaluation may cost. A unit is one element visited, one pass of a comprehension, or 64 characters
 * of text looked at.
 *
 * Invariant: evaluation is synchronous, so one module variable can hold the meter of the evaluation that is running; a
 * nested evaluation (a getter that evaluates) has a meter of its own and the outer one is put back.
 */
export const COST_LIMIT = 1_000_000;

const CHARACTERS_PER_UNIT = 64;

export class CostExceeded extends Error {
  constructor() {
    super('cost limit');
    this.name = 'CostExceeded';
  }
}

let left = Number.POSITIVE_INFINITY;

/** Throws {@link CostExceeded} when the running evaluation has used up its units, and at every further charge. */
export function charge(units: number): void {
  left -= units;
  if (left < 0) throw new CostExceeded();
}

export function chargeText(length: number): void {
  if (length >= CHARACTERS_PER_UNIT) charge(Math.floor(length / CHARACTERS_PER_UNIT));
}

/** `exceeded` holds even where the expression's own logic absorbed the error (`true || tooCostly`). */
export function withCostLimit<T>(limit: number, run: () => T): { exceeded: true } | { exceeded: false; value: T } {
  const outer = left;
  left = limit;
  try {
    const value = run();
    return left < 0 ? { exceeded: true } : { exceeded: false, value };
  } catch (error) {
    if (error instanceof CostExceeded) return { exceeded: true };
    throw error;
  } finally {
    left = outer;
  }
}
