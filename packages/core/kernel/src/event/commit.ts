import type { JsonObject } from '../json/value.ts';

/** Who did something. An id is a name, never a right. */
export interface Principal {
  readonly kind: 'user' | 'service' | 'node' | 'model' | 'tool' | 'system';
  readonly id: string;
  readonly onBehalfOf?: string;
}

/** One immutable fact. `v` is the version of this type's data; absent means 1. */
export interface StoredEvent {
  readonly type: string;
  readonly v?: number;
  readonly data: JsonObject;
}

/**
 * The unit of append. Event id = `<stream>.<seq>`; the n-th event of `events` has seq `firstSeq + n`.
 * The stored text is the JSON of this object; its hash is SHA-256 over that text, which holds the hash before (`prev`).
 */
export interface Commit<Event extends StoredEvent = StoredEvent> {
  readonly stream: string;
  readonly firstSeq: number;
  /** RFC 3339 UTC with milliseconds; never goes back within a stream. */
  readonly at: string;
  readonly actor: Principal;
  /** Ids of the outside commands that this commit carries out. */
  readonly commands?: readonly string[];
  /** The request id given at the start of the run. */
  readonly cause?: string;
  readonly trace?: string;
  /** Hash of the commit before; absent in the first commit and in a store without a chain. */
  readonly prev?: string;
  /**
   * What stands in the log by reference: the place of a value in `events` (`<index>/<member>`, or
   * `<index>/changes/<n>/value`) and the digest of its payload. Only what is named here is a reference: a value that looks
   * like one is a value. Absent when there is none.
   */
  readonly refs?: Readonly<Record<string, string>>;
  readonly events: readonly Event[];
}
