import { describe, expect, it } from 'vitest';
import { CONFIRM, codeGraph } from '../journal/testing/code-graph.ts';
import { startWorld, type World } from '../journal/testing/world.ts';

type Act = (run: World['run']) => Promise<unknown>;

const state = { n: { schema: { type: 'integer' as const } } };

describe('a command from outside that is none', () => {
  it.each<[string, Act]>([
    ['an edit with null', run => run.edit(null as never)],
    ['an edit with a list', run => run.edit([] as never)],
    ['an edit that removes a text', run => run.edit({}, { remove: 'abc' as never })],
    ['an edit of a token that is a number', run => run.edit({}, { token: 5 as never })],
    ['a pause for 5 reasons', run => run.pause({ reason: 5 as never })],
    ['a retry of no node', run => run.retry({ node: null as never })],
    ['a jump to a number', run => run.jump(5 as never)],
    ['a cancel that compensates "no"', run => run.cancel({ compensate: 'no' as never })],
    ['a note that is a list', run => run.note([] as never)],
    ['an answer with a note that is an object', run => run.answer({ action: 'approve', note: {} as never })],
    ['a signal whose name is a number', run => run.signal(5 as never)],
  ])('%s is rejected, and nothing at work is disturbed', async (_, act) => {
    let calls = 0;
    let finish = () => {};
    const graph = codeGraph(
      {
        fork: () => null,
        works: ctx => {
          calls += 1;
          return ctx.run('x', () => new Promise<void>(resolve => (finish = resolve)), { once: true });
        },
        asks: ctx => ctx.ask('go', CONFIRM),
      },
      { state, routes: { fork: [{ to: ['works', 'asks'] }] } },
    );
    const errors: unknown[] = [];
    const world = await startWorld(graph, { observer: { onError: error => errors.push(error) } });
    const before = (await world.events()).length;
    await expect(act(world.run)).rejects.toMatchObject({ code: 'InvalidCommand' });
    await world.box.settle();
    expect(await world.events()).toHaveLength(before);
    finish();
    await world.answer();
    expect((await world.settled()).status).toBe('completed');
    expect([calls, errors]).toEqual([1, []]);
  });

  it('or that the engine fails at is rejected likewise', async () => {
    let finish = () => {};
    let calls = 0;
    const graph = codeGraph(
      {
        a: ctx => {
          calls += 1;
          return ctx.run('x', () => new Promise<void>(resolve => (finish = resolve)));
        },
      },
      { state },
    );
    const root = graph.program.graphs.get('')!;
    const key = root.state.get('n')!;
    const validate = () => {
      throw new TypeError('the schema is broken');
    };
    const world = await startWorld(graph);
    (root.state as Map<string, unknown>).set('n', new Proxy(key, { get: validate, ownKeys: validate }));
    await expect(world.run.edit({ n: 1 })).rejects.toMatchObject({
      code: 'InvalidCommand',
      message: expect.stringContaining('the schema is broken'),
    });
    (root.state as Map<string, unknown>).set('n', key);
    finish();
    expect(await world.settled()).toMatchObject({ status: 'completed' });
    expect(calls).toBe(1);
  });
});
