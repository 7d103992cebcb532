import { describe, expect, it } from 'vitest';
import { CONFIRM, type Ctx, codeGraph } from '../journal/testing/code-graph.ts';
import { startWorld, type World } from '../journal/testing/world.ts';

type Effects = 'recorded' | 'ask' | 'live';

async function forkAt(world: World, type: string, before: number, effects: Effects) {
  const seq = (await world.events(type))[0]!.seq - before;
  const child = await world.run.fork({ at: seq, effects });
  await world.box.settle();
  return child;
}

describe('what a run began once beyond the point of a fork', () => {
  it('is asked about when nothing tells how it ended, even where recorded effects are taken', async () => {
    let calls = 0;
    const hanging = (ctx: Ctx) =>
      ctx.run(
        'pay',
        () => {
          calls += 1;
          return new Promise(() => {});
        },
        { once: true, timeout: '1h' },
      );
    const world = await startWorld(codeGraph({ a: ctx => ctx.ask('go', CONFIRM).then(() => null), b: hanging }));
    await world.answer();
    expect(calls).toBe(1);
    const child = await forkAt(world, 'op.intended', 1, 'recorded');
    expect(await child.view()).toMatchObject({ requests: [{ about: 'doubt' }] });
    expect(calls).toBe(1);
  });

  it.each<[what: string, before: number]>([
    ['beyond the point', 1],
    ['before it', 0],
  ])('is asked about with the time at which it was begun there: %s', async (_, before) => {
    const pay = (ctx: Ctx) => ctx.run('pay', () => new Promise(() => {}), { once: true, timeout: '1h' });
    const world = await startWorld(codeGraph({ a: ctx => ctx.ask('go', CONFIRM).then(() => null), b: pay }));
    await world.answer();
    const begun = new Date(world.box.clock.now()).toISOString();
    await world.box.advance('10m');
    const child = await forkAt(world, 'op.intended', before, 'ask');
    expect(await child.view()).toMatchObject({ requests: [{ about: 'doubt', context: { begun } }] });
  });

  it('is known when it was under way at the point and ended later', async () => {
    let calls = 0;
    const world = await startWorld(
      codeGraph({
        a: ctx =>
          ctx.run(
            'pay',
            () => {
              calls += 1;
              return 'paid';
            },
            { once: true },
          ),
      }),
    );
    const child = await forkAt(world, 'op.intended', 0, 'recorded');
    expect(await child.settled()).toMatchObject({ status: 'completed', output: 'paid' });
    expect(calls).toBe(1);
  });
});
