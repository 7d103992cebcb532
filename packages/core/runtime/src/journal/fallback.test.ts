import { describe, expect, it } from 'vitest';
import { codeGraph } from './testing/code-graph.ts';
import { startWorld } from './testing/world.ts';

describe('a fallback', () => {
  const options = { nodes: { a: { timeout: '10s', fallback: { node: 'spare' } } }, routes: {} };

  it('reads why the handler failed, and is executed again after a wait without asking for what that had recorded', async () => {
    const seen: unknown[] = [];
    const graph = codeGraph(
      {
        a: async ctx => {
          await ctx.run('before', () => 1);
          throw new Error('the desk is closed');
        },
        spare: async ctx => {
          seen.push(ctx.error?.message);
          await ctx.run('before', () => 2);
          await ctx.sleep('rest', '1h');
          return 'spared';
        },
      },
      options,
    );
    const world = await startWorld(graph);
    await world.restart();
    await world.box.advance('1h');
    expect(await world.settled()).toMatchObject({ status: 'completed', output: 'spared' });
    expect(new Set(seen)).toEqual(new Set(['the desk is closed']));
  });

  it('goes on when the handler’s `once` operation ends late, which is recorded, and not done again by a retry', async () => {
    let pay: (value: string) => void = () => {};
    let paid = 0;
    const graph = codeGraph(
      {
        a: async ctx => {
          await ctx.run(
            'pay',
            () => {
              paid += 1;
              return new Promise<string>(resolve => {
                pay = resolve;
              });
            },
            { once: true, timeout: '1d' },
          );
          return 'paid';
        },
        spare: async ctx => {
          await ctx.sleep('rest', '1h');
          throw new Error('spare failed too');
        },
      },
      options,
    );
    const world = await startWorld(graph);
    await world.box.advance('10s');
    pay('receipt');
    await world.box.settle();
    expect(await world.events('op.recorded')).toMatchObject([{ data: { op: 'pay#1', value: 'receipt' } }]);
    await world.restart();
    await world.box.advance('1h');
    expect(await world.settled()).toMatchObject({ status: 'failed', error: { message: 'spare failed too' } });
    await world.run.retry();
    expect(await world.settled()).toMatchObject({ status: 'completed', output: 'paid' });
    expect(paid).toBe(1);
  });
});
