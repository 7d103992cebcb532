import { createEmbeddedHost } from '@signalbox/host-embedded';
import type { EventStore, RunRow } from '@signalbox/ports';
import { createMemoryData, createMemoryStore } from '@signalbox/store-memory';
import { createSeededIds, createSimulatedClock } from '@signalbox/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { codeGraph } from '../journal/testing/code-graph.ts';
import { BackOff } from './back-off.ts';
import { Coalesced } from './coalesced.ts';
import { Engine } from './engine.ts';

const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.stop(0);
});

/** Processes on one store and one clock. */
function machine() {
  const data = createMemoryData({ chain: true });
  const clock = createSimulatedClock();
  const ids = createSeededIds();
  const process = (store: EventStore = createMemoryStore({ shared: data })) => {
    const codec = { toDefinition: (request: unknown) => request as never };
    const engine = new Engine({ store, clock, host: createEmbeddedHost({ clock }), ids, codec });
    engines.push(engine);
    return engine;
  };
  return { data, clock, process };
}

const waits = () => codeGraph({ a: ctx => ctx.sleep('while', '1h').then(() => 'done') });

/** Rows of runs that nobody can drive: their log is gone. */
function stranded(count: number): RunRow[] {
  return Array.from({ length: count }, (_, index) => ({
    tenant: 'default',
    runId: `run_stranded_${index}`,
    graph: 'gone',
    version: '0',
    status: 'running',
    reason: null,
    session: null,
    key: null,
    createdAt: 0,
    updatedAt: 0,
    dueAt: 1,
    owner: null,
  }));
}

describe('what is due after a restart', () => {
  it('is found, however many runs that nobody here can drive are due before it', async () => {
    const { clock, process } = machine();
    const first = process();
    first.register(waits());
    const id = await first.start(waits(), {});
    await first.settled(id);
    await first.store.commit({ appends: [], runs: stranded(1_200) }, { sync: false });
    await first.stop(0);
    const second = process();
    second.register(waits());
    await second.ready();
    await clock.advance('2h');
    await second.settled(id);
    expect((await second.load(id)).run).toMatchObject({ status: 'completed', output: 'done' });
  });

  it('is not tried at every look around when it cannot be driven, but ever more seldom', async () => {
    const { clock, data, process } = machine();
    const store = createMemoryStore({ shared: data });
    let tries = 0;
    const engine = process({
      ...store,
      run: async runId => {
        if (runId === 'run_stranded_0') tries += 1;
        return await store.run(runId);
      },
    });
    await store.commit({ appends: [], runs: stranded(1) }, { sync: false });
    await engine.ready();
    for (let minute = 0; minute < 10; minute += 1) await clock.advance('1m');
    expect(tries).toBeGreaterThan(3);
    expect(tries).toBeLessThan(12);
  });
});

describe('what another process writes', () => {
  const asks = () => codeGraph({ a: ctx => ctx.signal('go') });

  async function pair() {
    const { clock, data, process } = machine();
    const writer = process();
    writer.register(asks());
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.push(await writer.start(asks(), {}));
    for (const id of ids) await writer.settled(id);
    const store = createMemoryStore({ shared: data });
    const looked: string[] = [];
    const reader = process({
      ...store,
      due: async query => {
        looked.push(`due ${query.runId ?? 'all'}`);
        return await store.due(query);
      },
      feed: async options => {
        looked.push('feed');
        return await store.feed(options);
      },
    });
    reader.register(asks());
    await reader.ready();
    await quiet();
    looked.length = 0;
    return { clock, writer, reader, ids, looked };
  }

  const quiet = async () => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  };

  const note = (engine: Engine, id: string) =>
    engine.command(id, { type: 'signal', name: 'other', value: null }, { kind: 'user', id: 'finn' });

  it('makes this one look at the streams that changed, and at no others', async () => {
    const { writer, ids, looked } = await pair();
    await note(writer, ids[2]!);
    await quiet();
    expect(new Set(looked)).toEqual(new Set(['feed', `due ${ids[2]}`]));
  });

  it('is looked at together when much is written at once', async () => {
    const { writer, ids, looked } = await pair();
    await Promise.all(Array.from({ length: 50 }, (_, index) => note(writer, ids[index % 5]!)));
    await quiet();
    expect(looked.filter(what => what === 'feed').length).toBeLessThan(25);
    expect(new Set(looked)).toEqual(new Set(['feed', ...ids.map(id => `due ${id}`)]));
  });
});

describe('a run that is backed off from', () => {
  it('waits twice as long each time, and is forgotten when it is not due any more', () => {
    const backOff = new BackOff();
    backOff.failed('run_1', 0);
    expect([backOff.isOff('run_1', 4_999), backOff.isOff('run_1', 5_000)]).toEqual([true, false]);
    backOff.failed('run_1', 5_000);
    expect([backOff.isOff('run_1', 14_999), backOff.isOff('run_1', 15_000)]).toEqual([true, false]);
    expect(backOff.isOff('run_2', 0)).toBe(false);
    backOff.keepOnly(new Set(['run_2']));
    expect(backOff.isOff('run_1', 5_001)).toBe(false);
  });
});

describe('work that is asked for many times at once', () => {
  it('is done once more after the time that is under way, also when it failed', async () => {
    let begun = 0;
    const ends: (() => void)[] = [];
    const work = new Coalesced(async () => {
      begun += 1;
      const number = begun;
      await new Promise<void>(resolve => ends.push(resolve));
      if (number === 1) throw new Error('first');
    });
    const first = work.run();
    const later = [work.run(), work.run(), work.run()];
    expect(begun).toBe(1);
    ends.shift()!();
    await expect(first).rejects.toThrow('first');
    await new Promise(setImmediate);
    expect(begun).toBe(2);
    ends.shift()!();
    await Promise.all(later);
    expect(begun).toBe(2);
  });
});
