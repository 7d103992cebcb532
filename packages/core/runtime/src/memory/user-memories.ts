import type { MemoryEntry, Principal } from '@signalbox/kernel';
import type { Clock, EventStore, MemoryOwner } from '@signalbox/ports';
import { StreamWriter } from '../log/stream-writer.ts';
import { type Entries, type MemoryEvent, USER_MEMORY, type UserMemory, userMemoryStream } from './memory-fold.ts';

/** Users whose memory a process keeps read. */
const KEPT = 1_000;

/** What users answered once, each in a stream of its own. */
export class UserMemories {
  readonly #store: EventStore;
  readonly #clock: Clock;
  readonly #writers = new Map<string, StreamWriter<UserMemory>>();

  constructor(store: EventStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async entries(owner: MemoryOwner): Promise<Entries> {
    const writer = this.writer(owner);
    await writer.refresh();
    return writer.folded.entries;
  }

  writer({ tenant, user }: MemoryOwner): StreamWriter<UserMemory> {
    const stream = userMemoryStream(tenant, user);
    const writer = this.#writers.get(stream) ?? new StreamWriter(this.#store, this.#clock, stream, USER_MEMORY);
    this.#writers.delete(stream);
    this.#writers.set(stream, writer);
    for (const oldest of this.#writers.keys()) {
      if (this.#writers.size <= KEPT) break;
      this.#writers.delete(oldest);
    }
    return writer;
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
