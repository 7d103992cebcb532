import type { Program } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { eventsOf, readCommits } from '@signalbox/runtime';
import { storedProgram } from './load-report.ts';

/** The programs of every version that a run began with or moved to, as far as they load without its code. */
export async function storedPrograms(store: EventStore, runId: string): Promise<ReadonlyMap<string, Program>> {
  const programs = new Map<string, Program>();
  for (const version of await versionsOf(store, runId)) {
    const program = await storedProgram(store, version);
    if (program !== undefined) programs.set(version, program);
  }
  return programs;
}

export async function versionsOf(store: EventStore, runId: string): Promise<ReadonlySet<string>> {
  const versions = new Set<string>();
  for await (const { event } of eventsOf(readCommits(store, runId))) {
    if (event.type === 'run.started') versions.add(String(event.data.version));
    if (event.type === 'run.migrated') versions.add(String(event.data.to));
  }
  return versions;
}
