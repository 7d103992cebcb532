import type { MemoryEntry, Principal } from '@signalbox/kernel';
import type { Clock, EventStore, MemoryOwner } from '@signalbox/ports';
import type { StreamWriter } from '../log/stream-writer.ts';
import { StreamWriters } from '../log/stream-writers.ts';
import { type Entries, type MemoryEvent, USER_MEMORY, type UserMemory, userMemoryStream } from './memory-fold.ts';

/** What users answered once, each in a stream of its own. */
export class UserMemories {
  readonly #writers: StreamWriters<UserMemory>;

  constructor(store: EventStore, clock: Clock) {
    this.#writers = new StreamWriters(store, clock, USER_MEMORY);
  }

  async entries(owner: MemoryOwner): Promise<Entries> {
    const writer = this.writer(owner);
    await writer.refresh();
    return writer.folded.entries;
  }

  writer({ tenant, user }: MemoryOwner): StreamWriter<UserMemory> {
    return this.#writers.of(userMemoryStream(tenant, user));
  }

  async write(owner: MemoryOwner, change: MemoryEvent, by: Principal): Promise<void> {
    await this.writer(owner).write((_folded, seq) => opening(owner, [change], seq), by);
  }
}

/** The first event says whose memory it is. */
export function opening(owner: MemoryOwner, events: readonly MemoryEvent[], seq: number): readonly MemoryEvent[] {
  const { tenant, user } = owner;
  return seq > 0 ? events : [{ type: 'memory.opened', data: { tenant, user } }, ...events];
}

export function findEntry(entries: Entries, key: string): MemoryEntry | undefined {
  return Object.hasOwn(entries, key) ? entries[key] : undefined;
}
