import { defineGraph } from '@signalbox/core';
import { createMemoryStore } from '@signalbox/store-memory';
import { createWorld, Testbox, type TestboxOptions } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

/** A handler of two operations, the first of which the test lets end. */
function slowGraph() {
  const performed: string[] = [];
  const held: (() => void)[] = [];
  const graph = defineGraph({ name: 'slow', input: z.object({}) });
  const slow = graph.build({
    entry: 'work',
    nodes: {
      work: graph.step(async ctx => {
        const first = await ctx.run('first', async () => {
          performed.push('first');
          const number = performed.length;
          await new Promise<void>(resolve => held.push(resolve));
          return number;
        });
        await ctx.run('second', () => void performed.push(`second after ${first}`), { once: true });
        return first;
      }),
    },
    routes: {},
  });
  return { slow, performed, held };
}

function twoBoxes(options: TestboxOptions) {
  const world = createWorld({ chain: true });
  const [one, other] = [new Testbox(options, world), new Testbox(options, world)];
  return { one, other, store: createMemoryStore({ shared: world.data }) };
}

describe('two drivers, one overtaken, one journal', () => {
  it('records what the second did, and nothing of what the first still does', async () => {
    const { slow, performed, held } = slowGraph();
    const { one, other, store } = twoBoxes({ graphs: [slow] });
    const run = await one.start(slow, {});
    await one.settle();
    // The first stands still for so long that it counts as dead, while its operation is under way.
    await store.lease(one.engine.owner, 0);
    await other.settle();
    expect(performed).toEqual(['first', 'first']);
    held[0]!();
    await one.settle();
    expect(performed).toEqual(['first', 'first']);
    held[1]!();
    await other.settle();
    expect(performed).toEqual(['first', 'first', 'second after 2']);
    expect(await other.get(run.id).view()).toMatchObject({ status: 'completed', output: 2 });
    const types: string[] = [];
    for await (const { type, data } of other.get(run.id).events())
      if (type.startsWith('op.') || type === 'run.claimed') types.push(`${type} ${data.op ?? data.term}`);
    expect(types).toEqual([
      'run.claimed 1',
      'run.claimed 2',
      'op.recorded first#1',
      'op.intended second#1',
      'op.recorded second#1',
    ]);
    expect([...one.errors, ...other.errors]).toEqual([]);
    await one.close();
    await other.close();
  });

  it('gives a question one answer, whichever of them it goes through, and tells both the outcome', async () => {
    const graph = defineGraph({ name: 'ask', input: z.object({}) });
    const asking = graph.build({
      entry: 'q',
      nodes: { q: graph.ask({ title: 'Yes?', kind: 'confirmation' }) },
      routes: {},
    });
    const { one, other } = twoBoxes({ graphs: [asking] });
    const run = await one.start(asking, {});
    await one.settle();
    await other.settle();
    const yes = { action: 'approve', as: 'user:finn' };
    const no = { action: 'reject', as: 'user:mia' };
    const outcomes = await Promise.allSettled([
      one.get(run.id).answer({ ...yes, key: 'k' }),
      other.get(run.id).answer({ ...yes, key: 'k' }),
      one.get(run.id).answer({ ...yes, key: 'k' }),
      other.get(run.id).answer(no),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    expect(outcomes[3]).toMatchObject({ reason: { code: 'AmbiguousTarget' } });
    expect(await other.get(run.id).settled()).toMatchObject({ output: { action: 'approve' } });
    await one.close();
    await other.close();
  });
});
