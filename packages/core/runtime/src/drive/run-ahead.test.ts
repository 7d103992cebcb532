import { createEmbeddedHost } from '@signalbox/host-embedded';
import type { EventStore } from '@signalbox/ports';
import { createMemoryData, createMemoryStore } from '@signalbox/store-memory';
import { createSeededIds, createSimulatedClock } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { Engine } from '../engine/engine.ts';
import type { EngineOptions } from '../engine/engine-options.ts';
import { verifyStream } from '../integrity/verify-stream.ts';
import { type CodeGraphOptions, type Ctx, codeGraph } from '../journal/testing/code-graph.ts';
import { openCommit } from '../log/commit-codec.ts';

/** A store whose commits take a while to land, and land only when they are let through, in the order of the calls. */
function heldStore(store: EventStore) {
  const waiting: (() => void)[] = [];
  let isOpen = true;
  let before: Promise<unknown> = Promise.resolve();
  const landing = async () => {
    await before;
    for (let turn = 0; turn < 3; turn += 1) await new Promise(resolve => setImmediate(resolve));
    if (!isOpen) await new Promise<void>(resolve => waiting.push(resolve));
  };
  return {
    store: new Proxy(store, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (name !== 'commit' || typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          const landed = landing().then(() => Reflect.apply(member, target, args));
          before = landed.catch(() => {});
          return landed;
        };
      },
    }),
    hold: () => {
      isOpen = false;
    },
    release: () => {
      isOpen = true;
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}

interface Options extends Partial<EngineOptions> {
  readonly data?: ReturnType<typeof createMemoryData>;
  readonly over?: (store: EventStore) => EventStore;
}

function process(graph: ReturnType<typeof codeGraph>, { data, over = store => store, ...options }: Options = {}) {
  const clock = createSimulatedClock();
  const shared = data ?? createMemoryData({ chain: true });
  const held = heldStore(over(createMemoryStore({ shared })));
  const engine = new Engine({
    store: held.store,
    clock,
    host: createEmbeddedHost({ clock }),
    ids: createSeededIds(options.build ?? 'p'),
    codec: { toDefinition: request => request as never },
    ...options,
  });
  engine.register(graph);
  const eventsOf = async (id: string) =>
    (await held.store.read(id)).flatMap(stored => openCommit(stored).events.map(event => event.type));
  return { engine, clock, held, shared, eventsOf };
}

/** Lets everything go as far as it can without the store. */
const turns = async () => {
  for (let turn = 0; turn < 50; turn += 1) await new Promise(resolve => setImmediate(resolve));
};

/** n0 holds the store; the nodes behind it say that they have begun. */
function holding(behind: Record<string, (ctx: Ctx) => unknown>, options: CodeGraphOptions = {}) {
  const begun: string[] = [];
  let hold = () => {};
  const nodes: Record<string, (ctx: Ctx) => unknown> = {
    n0: () => {
      hold();
      return 0;
    },
  };
  for (const [name, work] of Object.entries(behind))
    nodes[name] = ctx => {
      begun.push(name);
      return work(ctx);
    };
  return {
    graph: codeGraph(nodes, options),
    begun,
    onHold: (fn: () => void) => {
      hold = fn;
    },
  };
}

const plain = (count: number): Record<string, (ctx: Ctx) => unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index + 1}`, () => index]));

describe('A step before the disk has the ones ahead of it', () => {
  it('begins, up to the limit', async () => {
    const { graph, begun, onHold } = holding(plain(9));
    const { engine, held } = process(graph);
    onHold(held.hold);
    const id = await engine.start(graph, {});
    await turns();
    expect(begun).toEqual(['n1', 'n2', 'n3']);
    held.release();
    await engine.settled(id);
    expect((await engine.load(id)).run.status).toBe('completed');
    expect(begun).toHaveLength(9);
    await engine.stop(0);
  });

  it('waits where the engine is told that each must be on disk', async () => {
    const { graph, begun, onHold } = holding(plain(3));
    const { engine, held } = process(graph, { runAhead: 1 });
    onHold(held.hold);
    await engine.start(graph, {});
    await turns();
    expect(begun).toEqual([]);
    held.release();
    await engine.stop(1_000);
  });

  it('has no effect, not even one that may be repeated', async () => {
    const effects: string[] = [];
    const { graph, begun, onHold } = holding({
      n1: async ctx => {
        await ctx.run('once', () => effects.push('once'), { once: true });
        await ctx.run('repeat', () => effects.push('repeat'));
      },
    });
    const { engine, held } = process(graph);
    onHold(held.hold);
    const id = await engine.start(graph, {});
    await turns();
    expect(begun).toEqual(['n1']);
    expect(effects).toEqual([]);
    held.release();
    await engine.settled(id);
    expect(effects).toEqual(['once', 'repeat']);
    await engine.stop(0);
  });

  it('begins only when what the one before it did outside is on record', async () => {
    const begun: string[] = [];
    let hold = () => {};
    const graph = codeGraph({
      n0: async ctx => {
        await ctx.run('repeat', () => 0);
        hold();
      },
      n1: () => void begun.push('n1'),
    });
    const { engine, held } = process(graph);
    hold = held.hold;
    await engine.start(graph, {});
    await turns();
    expect(begun).toEqual([]);
    held.release();
    await turns();
    expect(begun).toEqual(['n1']);
    await engine.stop(0);
  });

  it('begins when what the one before it did once is written, if the store tells; its own effect waits for the sync', async () => {
    const seen: string[] = [];
    const followed: unknown[] = [];
    let isSynced = true;
    let sync = () => {};
    const done = (name: string) => () => void seen.push(name);
    const graph = codeGraph({
      n0: async ctx => {
        await ctx.run('pay', done('pay'), { once: true });
        isSynced = false;
      },
      n1: async ctx => {
        seen.push('n1');
        await ctx.run('ship', done('ship'), { once: true });
      },
    });
    const { engine, eventsOf } = process(graph, {
      over: store => ({
        ...store,
        async commit(batch, options) {
          if (options.written !== undefined) followed.push(options.followed);
          await store.commit(batch, options);
          options.written?.();
          if (!isSynced)
            await new Promise<void>(resolve => {
              sync = resolve;
            });
        },
      }),
    });
    const id = await engine.start(graph, {});
    await turns();
    expect(seen).toEqual(['pay', 'n1']);
    const events = await eventsOf(id);
    expect(events.filter(type => type.startsWith('op.'))).toEqual(['op.intended', 'op.recorded']);
    isSynced = true;
    sync();
    await engine.settled(id);
    expect(seen).toEqual(['pay', 'n1', 'ship']);
    // Somebody waits for it, so the store is not told to wait for more.
    expect(followed).toEqual([false]);
    await engine.stop(0);
  });

  it('is told to nobody, and does not end the run for whoever waits', async () => {
    const told: string[] = [];
    const { graph, onHold } = holding(plain(2));
    const { engine, held } = process(graph, {
      observer: { committed: ({ events }) => void told.push(...events.map(({ type }) => type)) },
    });
    onHold(held.hold);
    const id = await engine.start(graph, {});
    let isSettled = false;
    const settled = engine.settled(id).then(() => {
      isSettled = true;
    });
    await turns();
    expect(told).not.toContain('node.succeeded');
    expect(isSettled).toBe(false);
    held.release();
    await settled;
    expect(told.filter(type => type === 'node.succeeded')).toHaveLength(3);
    await engine.stop(0);
  });

  it('is given up, and done again on what is true, when somebody else has written first', async () => {
    const seen: unknown[] = [];
    const { graph, onHold } = holding(
      {
        n1: ctx => {
          seen.push(ctx.state.flag ?? 'unset');
          return 1;
        },
        n2: () => 2,
      },
      { state: { flag: { schema: { type: 'string' }, reducer: 'replace' } } },
    );
    const shared = createMemoryData({ chain: true });
    const mine = process(graph, { data: shared, build: 'mine' });
    const other = process(graph, { data: shared, build: 'other' });
    onHold(mine.held.hold);
    const id = await mine.engine.start(graph, {});
    await turns();
    expect(seen).toEqual(['unset']);
    const edit = { type: 'edit', set: { flag: 'set' }, reason: 'it matters' } as const;
    const { refusal } = await other.engine.command(id, edit, { kind: 'user', id: 'finn' });
    expect(refusal).toBeUndefined();
    mine.held.release();
    await mine.engine.settled(id);
    expect((await mine.engine.load(id)).run.status).toBe('completed');
    expect(seen).toEqual(['unset', 'set']);
    const events = await mine.eventsOf(id);
    expect(events.filter(type => type === 'node.succeeded')).toHaveLength(3);
    expect(await verifyStream(mine.held.store, id)).toMatchObject({ ok: true });
    await mine.engine.stop(0);
    await other.engine.stop(0);
  });

  it('does not take the blame for one behind it that kills its process', async () => {
    const shared = createMemoryData({ chain: true });
    let die = () => {};
    const graph = codeGraph({
      n1: () => 1,
      n2: () => 2,
      deadly: () => {
        die();
        return new Promise(() => {});
      },
    });
    let id: string | undefined;
    let lives = 0;
    for (; lives < 8; lives += 1) {
      const life = process(graph, { data: shared, build: `life${lives}` });
      die = life.held.hold; // Nothing of it lands any more, as in a process that is gone.
      id ??= await life.engine.start(graph, {});
      await life.engine.ready();
      await life.clock.advance(60_000 * (lives + 1));
      await turns();
      if ((await life.engine.load(id)).run.status === 'failed') break;
    }
    const reader = process(graph, { data: shared, build: 'reader' });
    const { run } = await reader.engine.load(id!);
    expect(run.error).toMatchObject({ code: 'CrashLoop', message: expect.stringContaining('"deadly"') });
    // Three crashes that count, one that was not at the node yet, and the life that finds out.
    expect(lives).toBe(4);
  });
});
