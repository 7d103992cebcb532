import { defineGraph, Signalbox } from '@signalbox/core';
import { createEmbeddedHost } from '@signalbox/host-embedded';
import type { EventStore } from '@signalbox/ports';
import { createMemoryData, createMemoryStore } from '@signalbox/store-memory';
import { createSeededIds, createSimulatedClock } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const graph = defineGraph({ name: 'g', input: z.object({}) });
const g = graph.build({ entry: 'a', nodes: { a: graph.step(() => 'done') }, routes: {} });

/** A store whose first call of that name fails. */
function failingOnce(store: EventStore, name: 'due' | 'lease'): EventStore {
  let failed = false;
  return {
    ...store,
    [name]: async (...args: readonly unknown[]): Promise<unknown> => {
      if (failed) return await Reflect.apply(store[name], store, args);
      failed = true;
      throw new Error('The store cannot be reached.');
    },
  };
}

describe('a store that cannot be reached when a process begins', () => {
  it('is tried again by the next who asks, and what was left behind is found at the next look', async () => {
    const data = createMemoryData();
    for (const name of ['due', 'lease'] as const) {
      const clock = createSimulatedClock();
      const errors: unknown[] = [];
      const box = new Signalbox({
        store: failingOnce(createMemoryStore({ shared: data }), name),
        clock,
        host: createEmbeddedHost({ clock }),
        ids: createSeededIds(name),
        graphs: [g],
        observer: { onError: error => errors.push(error) },
      });
      const first = await box.ready().then(
        () => 'ready',
        () => 'rejected',
      );
      expect([name, first, errors.length]).toEqual(name === 'due' ? ['due', 'ready', 1] : ['lease', 'rejected', 0]);
      const run = await box.start(g, {});
      expect(await run.settled()).toMatchObject({ status: 'completed', output: 'done' });
      await box.close({ grace: 0 });
    }
  });
});
