import type { Commit } from '@signalbox/kernel';
import type { EventStore, RunRow } from '@signalbox/ports';
import { type Engine, TextDeltas, toAppend } from '@signalbox/runtime';
import { createMemoryStore } from '@signalbox/store-memory';
import { describe, expect, it } from 'vitest';
import { RunHandle } from './run-handle.ts';

const row = (status: string): RunRow => ({
  tenant: 'default',
  runId: 'run_a',
  graph: 'g',
  version: '0',
  status,
  reason: null,
  session: null,
  key: null,
  createdAt: 0,
  updatedAt: 0,
  dueAt: null,
  owner: null,
});

/** A run that ends at a moment that the test chooses; nobody is told of it. */
async function world() {
  const good = createMemoryStore();
  const land = async (seq: number, type: string, status: string) => {
    const at = '2026-01-01T00:00:00.000Z';
    const events = [{ type, data: {} }];
    const commit: Commit = { stream: 'run_a', firstSeq: seq, at, actor: { kind: 'system', id: 'driver' }, events };
    await good.commit({ appends: [toAppend(commit)], runs: [row(status)] }, { sync: false });
  };
  await land(1, 'note.added', 'running');
  const follow = async (wrap: (store: EventStore, end: () => Promise<void>) => Partial<EventStore>) => {
    let over = false;
    const end = async () => {
      if (!over) await land(2, 'run.completed', 'completed');
      over = true;
    };
    const store = { ...good, ...wrap(good, end) };
    const followText = (id: string) => new TextDeltas().follow(id);
    const engine = { store, followText, nextChange: () => new Promise<void>(() => {}) } as unknown as Engine;
    const types: string[] = [];
    for await (const { type } of new RunHandle(engine, 'run_a').stream()) types.push(type);
    return types;
  };
  return follow;
}

describe('the stream of a run', () => {
  it('has the last event, also when the run ends while its row is read', async () => {
    const follow = await world();
    const types = await follow((store, end) => ({
      run: async id => {
        await end();
        return await store.run(id);
      },
    }));
    expect(types).toEqual(['note.added', 'run.completed']);
  });

  it('ends with the last event itself, without being told of a change', async () => {
    const follow = await world();
    const types = await follow((store, end) => ({
      read: async (...call) => {
        await end();
        return await store.read(...call);
      },
    }));
    expect(types).toEqual(['note.added', 'run.completed']);
  });
});
