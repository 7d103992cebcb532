import { createEmbeddedHost } from '@signalbox/host-embedded';
import type { EventStore } from '@signalbox/ports';
import { createMemoryStore } from '@signalbox/store-memory';
import { createSeededIds, createSimulatedClock } from '@signalbox/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { Engine } from '../engine/engine.ts';
import { CONFIRM, type Ctx, codeGraph } from '../journal/testing/code-graph.ts';

const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.stop(0);
});

const BANK_CLOSED = () => Promise.reject(new Error('the bank is closed'));
/** Does not end by itself, and ends well when it is let go. */
interface Rate {
  of: (ctx: Ctx) => Promise<unknown>;
}

/** `looks`: at the runs of the graph, each for a last good output. */
function world(more: object, others: Record<string, (ctx: Ctx) => unknown> = {}, routes?: object) {
  const clock = createSimulatedClock();
  const rate: Rate = { of: async () => 1 };
  const looks = { count: 0, answer: (rows: () => Promise<unknown>) => rows() };
  const memory = createMemoryStore({ chain: true });
  const store = new Proxy(memory, {
    get(target, key) {
      if (key === 'runs')
        return (filter: Parameters<EventStore['runs']>[0]) => {
          const rows = () => target.runs(filter);
          if (filter.graph === undefined) return rows();
          looks.count += 1;
          return looks.answer(rows);
        };
      const member = Reflect.get(target, key) as unknown;
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const told: unknown[] = [];
  const engine = new Engine({
    store,
    clock,
    host: createEmbeddedHost({ clock }),
    ids: createSeededIds(),
    codec: { toDefinition: (request: unknown) => request as never },
    observer: { onError: error => told.push(error) },
  });
  engines.push(engine);
  const graph = codeGraph({ ...others, rate: (ctx: Ctx) => rate.of(ctx) }, {
    nodes: { rate: { ...more, fallback: { lastGood: { maxAge: '1h' } } } },
    ...(routes === undefined ? {} : { routes }),
  } as never);
  engine.register(graph);
  const started = async () => {
    const id = await engine.start(graph, 'EUR');
    await clock.settle();
    return id;
  };
  const view = async (id: string) => (await engine.view(id)).run;
  return { engine, clock, rate, looks, told, started, view };
}

describe('other runs are looked at for a last good output', () => {
  it('once no further attempt follows, not at each that fails', async () => {
    const { rate, looks, started, view, clock } = world({ retry: { attempts: 4, backoff: '2s' } });
    await started();
    rate.of = BANK_CLOSED;
    const id = await started();
    expect(looks.count).toBe(0);
    await clock.advance('1h');
    expect(await view(id)).toMatchObject({ status: 'completed', output: 1 });
    expect(looks.count).toBe(1);
  });

  it('at the first attempt where its error is not tried again', async () => {
    const { rate, looks, started, view } = world({ retry: { attempts: 4, on: ['BankClosed'] } });
    await started();
    rate.of = BANK_CLOSED;
    expect(await view(await started())).toMatchObject({ status: 'completed', output: 1 });
    expect(looks.count).toBe(1);
  });

  it('when the node that took too long is over: its signal is aborted, and a success that comes late is none', async () => {
    const { rate, looks, started, view, clock } = world({ timeout: '5s' });
    await started();
    let release = (_: unknown) => {};
    let signal: AbortSignal | undefined;
    rate.of = ({ abort }) => {
      signal = abort;
      return new Promise(resolve => {
        release = resolve;
      });
    };
    let isAbortedBefore: boolean | undefined;
    let give = () => {};
    looks.answer = rows => {
      isAbortedBefore = signal?.aborted;
      return new Promise(resolve => {
        give = () => resolve(rows());
      });
    };
    const id = await started();
    await clock.advance('5s');
    expect(isAbortedBefore).toBe(true);
    release(2);
    await clock.settle();
    expect(await view(id)).toMatchObject({ status: 'running' });
    give();
    await clock.settle();
    expect(await view(id)).toMatchObject({ status: 'completed', output: 1 });
  });

  it.each([
    ['fails', BANK_CLOSED],
    ['takes too long', () => new Promise<unknown>(() => {})],
  ])(
    'no longer than the failure can wait to be recorded: a store that does not answer keeps no node that %s',
    async (_, of) => {
      const { rate, looks, told, started, view, clock } = world({ timeout: '5s' });
      await started();
      rate.of = of;
      looks.answer = () => new Promise(() => {});
      const id = await started();
      await clock.advance('1m');
      expect(await view(id)).toMatchObject({ status: 'failed' });
      expect(told).toMatchObject([{ code: 'Timeout', message: expect.stringContaining('last good output of "rate"') }]);
    },
  );

  it('by one execution alone, whatever is committed beside it meanwhile', async () => {
    const rates: number[] = [];
    const { engine, rate, looks, started, view, clock } = world(
      {},
      { split: () => null, other: ctx => ctx.ask('go', CONFIRM) },
      { split: [{ to: ['other', 'rate'] }] },
    );
    rate.of = async () => {
      rates.push(1);
      return await BANK_CLOSED();
    };
    let give = () => {};
    looks.answer = rows =>
      new Promise(resolve => {
        give = () => resolve(rows());
      });
    const id = await started();
    const [request] = (await view(id)).requests.keys();
    await engine.command(id, { type: 'note', text: 'still at it' }, { kind: 'user', id: 'ann' });
    await engine.command(id, { type: 'answer', request: request!, action: 'approve' }, { kind: 'user', id: 'ann' });
    await clock.settle();
    give();
    await clock.settle();
    expect(rates).toHaveLength(1);
    expect(looks.count).toBe(1);
    expect(await view(id)).toMatchObject({ status: 'failed' });
  });

  it('not of a run that is cancelled meanwhile', async () => {
    const { engine, rate, looks, started, view, clock } = world({});
    rate.of = ({ abort }) =>
      new Promise((_, reject) => abort.addEventListener('abort', () => reject(new Error('off'))));
    const id = await started();
    await engine.command(id, { type: 'cancel', reason: 'enough' }, { kind: 'user', id: 'ann' });
    await clock.advance('1m');
    expect(await view(id)).toMatchObject({ status: 'cancelled' });
    expect(looks.count).toBe(0);
  });
});
