import { describe, expect, it } from 'vitest';
import { type Ctx, codeGraph } from './testing/code-graph.ts';
import { startWorld, type World } from './testing/world.ts';

/** A payment that never comes back the first time; each call is counted, and may be settled from outside. */
function payment() {
  const calls: ((value: string) => void)[] = [];
  const pay = () =>
    new Promise<string>(resolve => {
      calls.push(resolve);
      if (calls.length > 1) resolve('paid again');
    });
  return { calls, pay };
}

const retry = { attempts: 3, backoff: '1s', jitter: 0 };

async function timedOut(code: (ctx: Ctx) => unknown): Promise<World> {
  const world = await startWorld(codeGraph({ a: code }, { nodes: { a: { retry } as never } }));
  await world.box.advance('31s');
  await world.box.advance('1m');
  return world;
}

describe('a once operation that takes too long', () => {
  it('is in doubt and not done again by a retry: somebody is asked how it ended', async () => {
    const { calls, pay } = payment();
    const world = await timedOut(ctx => ctx.run('pay', pay, { once: true }));
    expect(calls).toHaveLength(1);
    expect(await world.view()).toMatchObject({ status: 'suspended', requests: [{ about: 'doubt' }] });
    await world.answer('approve', { outcome: 'done', result: '"paid"' });
    expect(await world.settled()).toMatchObject({ status: 'completed', output: 'paid' });
    expect(calls).toHaveLength(1);
  });

  it('stays in doubt when it breaks off because it was told to stop: what it had done by then is not known', async () => {
    const world = await timedOut(ctx =>
      ctx.run(
        'pay',
        ({ signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(new Error('aborted')));
          }),
        { once: true },
      ),
    );
    expect(await world.view()).toMatchObject({ status: 'suspended', requests: [{ about: 'doubt' }] });
  });

  it('is done again when that is the word', async () => {
    const { calls, pay } = payment();
    const world = await timedOut(ctx => ctx.run('pay', pay, { once: true }));
    await world.answer('approve', { outcome: 'repeat' });
    expect((await world.settled()).output).toBe('paid again');
    expect(calls).toHaveLength(2);
  });

  it('needs no word any more when it ends after all', async () => {
    const { calls, pay } = payment();
    const world = await timedOut(ctx => ctx.run('pay', pay, { once: true }));
    calls[0]!('paid late');
    expect(await world.settled()).toMatchObject({ status: 'completed', output: 'paid late' });
    expect(await world.events('request.withdrawn')).toHaveLength(1);
  });

  it('is tried again by its policy where it may be repeated with its key', async () => {
    const { calls, pay } = payment();
    const world = await timedOut(ctx => ctx.run('pay', pay, { once: true, onDoubt: 'retry' }));
    expect((await world.settled()).output).toBe('paid again');
    expect(calls).toHaveLength(2);
  });
});
