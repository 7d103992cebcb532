import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryData, createMemoryStore } from '@signalbox/store-memory';
import { bundle } from '../../testing/bundle.ts';
import { startRemote } from '../../testing/remote.ts';
import { AnsweringDesk, type DeskCalls } from './answering-desk.ts';
import type { Place } from './play.ts';

/** Two store objects on data in memory, each with an engine of its own. */
export async function inMemory(): Promise<Place> {
  const shared = createMemoryData({ chain: true });
  const paid: string[] = [];
  const open = () => new AnsweringDesk(createMemoryStore({ shared }), runId => void paid.push(runId));
  const desks = [open(), open()] as const;
  for (const desk of desks) await desk.ready();
  return {
    desks,
    paid: () => paid,
    async close() {
      for (const desk of desks) await desk.close();
    },
  };
}

/** Two real processes on one SQLite file. */
export async function onSqlite(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-answers-'));
  const witness = join(folder, 'paid.txt');
  const program = await bundle(new URL('./desk-process.ts', import.meta.url));
  const start = () => startRemote<DeskCalls>(program.path, [join(folder, 'signalbox.db'), witness]);
  const desks = [start(), start()] as const;
  return {
    desks,
    paid: () => (existsSync(witness) ? readFileSync(witness, 'utf8').split('\n') : []),
    async close() {
      for (const desk of desks) await desk.kill();
      program.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
