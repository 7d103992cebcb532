import { createEmbeddedHost } from '@signalbox/host-embedded';
import type { EventStore } from '@signalbox/ports';
import { createMemoryData, createMemoryStore } from '@signalbox/store-memory';
import { createSeededIds, createSimulatedClock } from '@signalbox/testkit';
import { expect, it } from 'vitest';
import { Engine } from '../engine/engine.ts';
import { codeGraph } from '../journal/testing/code-graph.ts';

it('what a handler reports while its run is looked at again is recorded, also when the run cannot be read then', async () => {
  const shared = createMemoryData({ chain: true });
  let end = () => {};
  const gate = new Promise<void>(resolve => {
    end = resolve;
  });
  const graph = codeGraph({ work: () => gate });
  const engineOn = (store: EventStore, name: string) => {
    const clock = createSimulatedClock();
    const engine = new Engine({
      store,
      clock,
      host: createEmbeddedHost({ clock }),
      ids: createSeededIds(name),
      codec: { toDefinition: request => request as never },
    });
    engine.register(graph);
    return engine;
  };

  let isUnreachable = false;
  let failures = 0;
  const store = new Proxy(createMemoryStore({ shared }), {
    get(target, name: keyof EventStore) {
      const member: unknown = Reflect.get(target, name);
      if (name !== 'snapshot' || typeof member !== 'function') return member;
      return async (...args: unknown[]) => {
        if (!isUnreachable) return Reflect.apply(member, target, args);
        failures += 1;
        end();
        for (let turn = 0; turn < 20; turn += 1) await new Promise(resolve => setImmediate(resolve));
        isUnreachable = false;
        throw new Error('The store cannot be reached.');
      };
    },
  });
  const mine = engineOn(store, 'mine');
  const other = engineOn(createMemoryStore({ shared }), 'other');
  const id = await mine.start(graph, {});
  isUnreachable = true;
  await other.command(id, { type: 'note', text: 'look' }, { kind: 'user', id: 'finn' });
  await mine.settled(id);
  expect(failures).toBe(1);
  expect((await other.load(id)).run.status).toBe('completed');
  await mine.stop(0);
  await other.stop(0);
});
