import type { Facts } from '../facts.ts';
import type { Move } from '../move.ts';

/** Rules that say, from what is known, what comes next. Pure: all that a pass knows is in the facts. */
export type Dialogue = (facts: Facts) => Move;
