import { createEmbeddedHost } from '@signalbox/host-embedded';
import type { EventStore } from '@signalbox/ports';
import { createMemoryStore } from '@signalbox/store-memory';
import { createSeededIds, createSimulatedClock } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { Engine } from '../engine/engine.ts';
import { type Code, codeGraph } from '../journal/testing/code-graph.ts';
import { openCommit } from '../log/commit-codec.ts';

/** Drives a graph to its end and tells what the store was asked to do. */
async function costOf(graph: ReturnType<typeof codeGraph>) {
  const clock = createSimulatedClock();
  const calls: string[] = [];
  const store: EventStore = new Proxy(createMemoryStore({ chain: true }), {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        calls.push(String(name));
        return Reflect.apply(member, target, args);
      };
    },
  });
  const engine = new Engine({
    store,
    clock,
    host: createEmbeddedHost({ clock }),
    ids: createSeededIds(),
    codec: { toDefinition: request => request as never },
  });
  engine.register(graph);
  const id = await engine.start(graph, {});
  await engine.settled(id);
  // Whatever else has been asked for gets its turn.
  await new Promise(resolve => setImmediate(resolve));
  const loads = calls.filter(call => call === 'read' || call === 'head').length;
  const settledBy = calls.filter(call => call !== 'commit').length;
  const commits = (await store.read(id)).map(stored => openCommit(stored).events.map(event => event.type));
  const bytes = (await store.read(id)).map(stored => stored.sealed?.text.length ?? 0);
  await engine.stop(0);
  return { commits, bytes, settledBy, loads };
}

const names = Array.from({ length: 40 }, (_, index) => `n${index}`);
const chain = (work: Code) => codeGraph(Object.fromEntries(names.map(name => [name, work])));

describe('What a step costs', () => {
  it('is one commit, which holds its end and the start of the next', async () => {
    const { commits } = await costOf(chain(() => 1));
    expect(commits).toHaveLength(1 + names.length);
    expect(commits[5]).toEqual(['node.succeeded', 'route.decided', 'node.started']);
  });

  it('is one commit more with a `once` operation: its intent stands alone, its record with the end of the node', async () => {
    const { commits } = await costOf(chain(ctx => ctx.run('pay', () => 1, { once: true })));
    expect(commits).toHaveLength(1 + 2 * names.length);
    expect(commits[1]).toEqual(['op.intended']);
    expect(commits[2]).toEqual(['op.recorded', 'node.succeeded', 'route.decided', 'node.started']);
  });

  it('does not grow with the run: its bytes stay, and nobody reads the store meanwhile', async () => {
    const short = await costOf(codeGraph({ n0: () => 1 }));
    const long = await costOf(chain(() => 1));
    expect(Math.max(...long.bytes.slice(1))).toBeLessThan(700);
    expect(long.settledBy).toBe(short.settledBy);
  });

  it('is not looked for once more in a run that has ended', async () => {
    expect((await costOf(codeGraph({ n0: () => 1 }))).loads).toBe(0);
  });
});
