import type { Actor } from './principal.ts';

/** Why and by whom something is done to a run. */
export interface Act {
  readonly reason?: string;
  readonly as?: Actor;
}
