import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventStore } from '@signalbox/ports';
import { createMemoryData, createMemoryStore as createSharedMemoryStore } from '@signalbox/store-memory';
import { createMortalProcess, createSimulatedClock, type MortalProcess, type SimulatedClock } from '@signalbox/testkit';
import { createSignalbox, createSqliteStore, type Signalbox, type SignalboxOptions } from 'signalbox';
import { onTestFinished } from 'vitest';

export type StoreKind = 'memory' | 'sqlite';
export const STORES: readonly StoreKind[] = ['memory', 'sqlite'];
export const START = '2026-03-02T08:00:00.000Z';

export interface Lab {
  readonly clock: SimulatedClock;
  /** Of the SQLite file; there is none for memory. */
  readonly path: string;
  /** Opens a box on the lab's data, as a process of its own would. */
  open(options?: SignalboxOptions): Signalbox;
  /** Closes it in good order and opens another. */
  restart(box: Signalbox, options?: SignalboxOptions): Promise<Signalbox>;
  /** The box's process dies on the spot; its lease is over. */
  kill(box: Signalbox): Promise<void>;
}

/** One store for one test, and a clock that only the test moves. */
export function createLab(kind: StoreKind): Lab {
  const clock = createSimulatedClock({ start: START });
  const path = join(temporaryFolder(), 'signalbox.db');
  const data = createMemoryData({ chain: true });
  const openStore = (): EventStore =>
    kind === 'memory' ? createSharedMemoryStore({ shared: data }) : createSqliteStore({ path });
  const processes = new Map<Signalbox, MortalProcess>();
  const open = (options: SignalboxOptions = {}): Signalbox => {
    const process = createMortalProcess(openStore(), clock);
    const box = createSignalbox({ ...options, store: process.store, clock: process.clock });
    processes.set(box, process);
    onTestFinished(async () => {
      if (processes.has(box)) await box.close({ grace: 0 });
    });
    return box;
  };
  return {
    clock,
    path,
    open,
    async restart(box, options) {
      await box.close({ grace: 0 });
      return open(options);
    },
    async kill(box) {
      processes.get(box)!.kill();
      processes.delete(box);
      const store = openStore();
      await store.lease(box.engine.owner, 0);
      await store.close();
    },
  };
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const PATIENCE_MS = 20_000;

/** Looks again and again until the value is there; what is never there fails the test. */
export async function until<Value>(look: () => Promise<Value | undefined | false>): Promise<Value> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error('What was waited for never came.');
    await new Promise(resolve => setTimeout(resolve, 5));
  }
}

/** The code of the error that a promise rejects with; undefined when it does not. */
export async function codeOf(promise: Promise<unknown>): Promise<string | undefined> {
  try {
    await promise;
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}
