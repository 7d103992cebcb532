import { describe, expect, it } from 'vitest';
import { CONFIRM, codeGraph } from '../journal/testing/code-graph.ts';
import { startWorld } from '../journal/testing/world.ts';

const never = () => new Promise<never>(() => {});

describe('a handler that ends while a once operation is under way', () => {
  it('is over only when how that ended is recorded', async () => {
    let finish = (_: string) => {};
    const pay = () => new Promise<string>(resolve => (finish = resolve));
    const world = await startWorld(
      codeGraph({
        a: ctx => {
          void ctx.run('pay', pay, { once: true });
          return 'done';
        },
      }),
    );
    expect((await world.view()).status).toBe('running');
    finish('paid');
    expect(await world.settled()).toMatchObject({ status: 'completed', output: 'done' });
    expect((await world.events('op.recorded')).map(event => event.data.value)).toEqual(['paid']);
  });

  it('and fails does it no second time when it is tried again', async () => {
    let paid = 0;
    let finish = () => {};
    const pay = () => new Promise<number>(resolve => (finish = () => resolve(++paid)));
    const graph = codeGraph(
      {
        a: async ctx => {
          const paying = ctx.run('pay', pay, { once: true });
          if (ctx.node.attempt === 1) throw Object.assign(new Error('no'), { code: 'E_NO' });
          return await paying;
        },
      },
      { nodes: { a: { retry: { attempts: 2, backoff: '10ms' } } } },
    );
    const world = await startWorld(graph);
    expect(await world.events('node.retryScheduled')).toEqual([]);
    finish();
    await world.box.advance('1s');
    expect((await world.settled()).output).toBe(1);
    expect(paid).toBe(1);
  });

  it('leaves a question about one that is in doubt open', async () => {
    const graph = codeGraph({
      a: ctx => {
        void ctx.run('pay', never, { once: true });
        return 'done';
      },
    });
    const world = await startWorld(graph);
    await world.restart();
    expect(await world.settled()).toMatchObject({ status: 'suspended', requests: [{ about: 'doubt' }] });
  });
});

describe('an update that comes too late', () => {
  it('does not land, however soon after the end it comes', async () => {
    let late = 0;
    const graph = codeGraph(
      {
        a: ctx => {
          ctx.update({ n: 1 });
          // Read when the end is made of it; what it sets off runs before anything is decided.
          const trap = () => {
            queueMicrotask(() => {
              late += 1;
              ctx.update({ n: 2 });
            });
            return 'done';
          };
          return Object.defineProperty({}, 'x', { enumerable: true, get: trap });
        },
      },
      { state: { n: { schema: { type: 'integer' } } } },
    );
    const world = await startWorld(graph);
    expect((await world.settled()).status).toBe('completed');
    expect(await world.run.state()).toEqual({ n: 1 });
    expect(late).toBeGreaterThan(0);
  });
});

describe('the timeout of a node', () => {
  const graph = (seconds: number) =>
    codeGraph(
      {
        a: async ctx => {
          await ctx.run('before', () => new Promise<void>(resolve => works.push(resolve)));
          await ctx.ask('go', CONFIRM);
          await ctx.run('after', () => new Promise<void>(resolve => works.push(resolve)));
          return 'done';
        },
      },
      { nodes: { a: { timeout: `${seconds}s` } } },
    );
  let works: (() => void)[] = [];

  it.each([
    ['ends it when it executed too long on the whole', 5, 'failed'],
    ['leaves it alone while it did not, however long it waited', 7, 'completed'],
  ])('%s', async (_, seconds, status) => {
    works = [];
    const world = await startWorld(graph(seconds));
    await world.box.advance('3s');
    works[0]!();
    await world.box.settle();
    await world.box.advance('1h');
    await world.restart();
    await world.answer();
    await world.box.advance('3s');
    works[1]!();
    expect((await world.settled()).status).toBe(status);
  });

  it('is granted anew to each attempt', async () => {
    let attempts = 0;
    const retry = { attempts: 2, backoff: '10ms' };
    const again = codeGraph(
      {
        a: async ctx => {
          attempts += 1;
          await ctx.sleep('rest', '1s');
          if (ctx.node.attempt === 1) await never();
          return 'done';
        },
      },
      { nodes: { a: { timeout: '5s', retry } } },
    );
    const world = await startWorld(again);
    await world.box.advance('10s');
    expect((await world.settled()).output).toBe('done');
    expect(attempts).toBeGreaterThan(1);
  });
});

describe('a compensation', () => {
  const undone = (undo: Parameters<typeof codeGraph>[0][string], timeout?: string) =>
    codeGraph(
      {
        a: () => 1,
        undo,
        breaks: () => {
          throw Object.assign(new Error('no'), { code: 'E_NO' });
        },
      },
      {
        nodes: {
          a: { compensate: { handler: 'undo@1' }, ...(timeout === undefined ? {} : { timeout }) },
          undo: { type: 'transform' } as never,
        },
        routes: { a: [{ to: ['breaks'] }], undo: [{ to: ['breaks'] }] },
      },
    );

  it.each([
    ['its node’s timeout', '10s', '31s'],
    ['five minutes where there is none', undefined, '16m'],
  ])('that never settles is given up after %s, so that the run ends', async (_, timeout, time) => {
    const signals: AbortSignal[] = [];
    const world = await startWorld(
      undone(ctx => {
        signals.push(ctx.abort);
        return never();
      }, timeout),
    );
    expect((await world.view()).status).toBe('compensating');
    await world.box.advance(time);
    expect(await world.settled()).toMatchObject({ status: 'failed', compensation: 'incomplete' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
  });

  it('that asks for something once is told that nobody can promise it, and nothing is done', async () => {
    let done = 0;
    const world = await startWorld(undone(ctx => ctx.run('refund', () => (done += 1), { once: true })));
    expect(await world.settled()).toMatchObject({ status: 'failed', compensation: 'incomplete' });
    expect((await world.events('compensation.finished'))[0]!.data.error).toMatchObject({ code: 'CompensationOnce' });
    expect(done).toBe(0);
  });
});
