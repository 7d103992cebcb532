import type { Principal } from '@signalbox/kernel';

/**
 * Who is who: a directory, a token's claims, a table. Without one roles are not known, and whoever sends an answer vouches
 * for it. Asked for each answer and claim, so it may well remember what it found. That it fails means that nothing is decided.
 */
export interface Identity {
  /** The roles of a principal in a tenant, such as `finance`; of one that nobody knows, none. */
  rolesOf(principal: Principal, tenant: string): Promise<readonly string[]> | readonly string[];
}
