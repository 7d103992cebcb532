import type { MemoryEntry } from '@signalbox/kernel';
import type { Folding } from '../log/folded-stream.ts';

/** Type → data of every event in the stream of a user's memory; a session's stream holds the same. */
export interface MemoryEvents {
  'memory.opened': { readonly tenant: string; readonly user: string };
  'memory.written': MemoryEntry;
  'memory.removed': Pick<MemoryEntry, 'key' | 'scope'> & { readonly reason: string };
}

export type MemoryEvent = {
  [Type in keyof MemoryEvents]: { readonly type: Type; readonly data: MemoryEvents[Type] };
}[keyof MemoryEvents];

/** By key, in the order of writing. */
export type Entries = Readonly<Record<string, MemoryEntry>>;

export function withEntry(entries: Entries, entry: MemoryEntry): Entries {
  return { ...withoutEntry(entries, entry.key), [entry.key]: entry };
}

export function withoutEntry(entries: Entries, key: string): Entries {
  return Object.fromEntries(Object.entries(entries).filter(([other]) => other !== key));
}

export interface UserMemory {
  entries: Entries;
}

export const USER_MEMORY: Folding<UserMemory> = {
  format: 301,
  onlyLast: true,
  empty: () => ({ entries: {} }),
  apply: (memory, { type, data }) => {
    if (type === 'memory.written') memory.entries = withEntry(memory.entries, data as unknown as MemoryEntry);
    if (type === 'memory.removed') memory.entries = withoutEntry(memory.entries, String(data.key));
  },
  encode: memory => memory,
  decode: (body: UserMemory) => ({ entries: body.entries }),
};

/** Whatever a user is called, its stream is no other's. */
export function userMemoryStream(tenant: string, user: string): string {
  return `mem_${encodeURIComponent(tenant)}/${encodeURIComponent(user)}`;
}
