import type { MemoryEntry } from '../../event/memory-entry.ts';
import type { Draft } from '../draft.ts';
import type { Evolve } from './evolver.ts';

/** Of wider memory the run keeps nothing: others change it. */
export const memoryWritten: Evolve<'memory.written'> = (draft, entry) => {
  if (entry.scope === 'run') change(draft, memory => memory.set(entry.key, entry));
};

export const memoryRemoved: Evolve<'memory.removed'> = (draft, { key, scope }) => {
  if (scope === 'run') change(draft, memory => memory.delete(key));
};

function change({ run }: Draft, by: (memory: Map<string, MemoryEntry>) => unknown): void {
  const memory = new Map(run.memory);
  by(memory);
  run.memory = memory;
}
