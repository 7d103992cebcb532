import { describe, expect, it } from 'vitest';
import { CONFIRM, codeGraph } from '../journal/testing/code-graph.ts';
import { startWorld } from '../journal/testing/world.ts';

const never = () => new Promise<never>(() => {});

describe('time goes on while a handler executes', () => {
  it('for the deadline of its node, which tells it to stop', async () => {
    let abort: AbortSignal | undefined;
    const hangs = codeGraph(
      {
        a: ctx => {
          abort = ctx.abort;
          return never();
        },
      },
      { nodes: { a: { deadline: '5s' } } },
    );
    const world = await startWorld(hangs);
    await world.box.advance('4999ms');
    expect((await world.view()).status).toBe('running');
    await world.box.advance('1ms');
    expect(await world.settled()).toMatchObject({ status: 'failed', error: { code: 'DeadlineExceeded' } });
    expect(abort?.aborted).toBe(true);
  });

  it('for the timeout of the run', async () => {
    const world = await startWorld(codeGraph({ a: never }, { limits: { timeout: '5s' } }));
    await world.box.advance('5s');
    expect((await world.settled()).error).toMatchObject({ code: 'LimitReached', details: { limit: 'timeout' } });
  });

  it('for a sibling that sleeps, once and again', async () => {
    const woken: number[] = [];
    const graph = codeGraph(
      {
        fork: () => null,
        slow: never,
        sleeper: async ctx => {
          for (const seconds of [1, 2]) {
            await ctx.sleep('rest', '1s');
            woken.push(seconds);
          }
        },
      },
      { routes: { fork: [{ to: ['slow', 'sleeper'] }] } },
    );
    const world = await startWorld(graph);
    await world.box.advance('1s');
    expect(woken).toEqual([1]);
    await world.box.advance('1s');
    expect(woken).toContain(2);
    expect((await world.view()).status).toBe('running');
  });

  it('for the deadline of a question that a sibling asked', async () => {
    const deadline = { after: '1m', onExpire: 'fail' };
    const graph = codeGraph(
      { fork: () => null, slow: never, asker: ctx => ctx.ask('go', { ...CONFIRM, deadline }) },
      { routes: { fork: [{ to: ['slow', 'asker'] }] } },
    );
    const world = await startWorld(graph);
    await world.box.advance('1m');
    expect(await world.events('request.expired')).toHaveLength(1);
  });
});
