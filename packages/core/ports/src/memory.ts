import type { JsonObject, MemoryEntry } from '@signalbox/kernel';

/** What is looked for: what a user would be asked under this key. */
export interface MemoryQuery {
  readonly tenant: string;
  readonly user: string;
  readonly key: string;
  readonly graph: string;
  readonly node: string;
  readonly title: string;
}

/**
 * A long-term memory of a user, beside the box's own: a profile service, a vector store. The box's own stays the record.
 *
 *  1. `find` is called before a user would be asked, where the box itself has nothing. What it gives is taken only if it
 *     has not expired and fits the question; it counts as not there when it throws or takes longer than 5 s.
 *  2. `written` and `removed` are called after that is stored, in the process that stored it, and not again when that dies
 *     before: what was missed can be told anew from the box's memory. What they throw is told to `onError` and changes nothing.
 *  3. Without `written` and `removed` it is only read from.
 */
export interface LongTermMemory {
  find(query: MemoryQuery): Promise<FoundMemory | undefined>;
  written?(place: MemoryOwner, entry: MemoryEntry): Promise<void>;
  removed?(place: MemoryOwner, key: string): Promise<void>;
}

export interface MemoryOwner {
  readonly tenant: string;
  readonly user: string;
}

export interface FoundMemory {
  readonly values: JsonObject;
  /** Who said so: a principal's text such as `service:profile`. */
  readonly by: MemoryEntry['by'];
  /** RFC 3339. */
  readonly at: string;
  /** 0 to 1. */
  readonly confidence: number;
  readonly expiresAt?: string;
}
