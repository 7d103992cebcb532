import type { JsonObject } from '../json/value.ts';
import type { Principal } from './commit.ts';

/** How long what was answered is remembered: with the run, with its session, or with the user who answered. */
export type MemoryScope = 'run' | 'session' | 'user';

/** One answer that need not be asked for again, and where it comes from. */
export interface MemoryEntry {
  readonly key: string;
  readonly scope: MemoryScope;
  readonly values: JsonObject;
  /** Who answered, or edited it last, and when (RFC 3339). */
  readonly by: Principal;
  readonly at: string;
  /** 0 to 1; of what a person answered 1. */
  readonly confidence: number;
  /** From then on it is not taken any more, RFC 3339; absent: never. */
  readonly expiresAt?: string;
  /** The answered question; absent of what was only written from outside. */
  readonly run?: string;
  readonly request?: string;
  readonly title?: string;
}
