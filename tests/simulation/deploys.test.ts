import { defineGraph } from '@signalbox/core';
import { countedEffect, testbox } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const done = countedEffect((name: string) => name);

/** A graph of one waiting node, or of one with a node more behind it. */
function graphOf(version: 'old' | 'new') {
  const graph = defineGraph({ name: 'order', input: z.object({}) });
  const wait = graph.step(async ctx => {
    await ctx.run('reserve', () => done('reserve'));
    await ctx.sleep('a while', '30d');
    return await ctx.run('ship', () => done('ship'));
  });
  const thank = graph.step(ctx => ctx.run('thank', () => done('thank')));
  return version === 'old'
    ? graph.build({ entry: 'wait', nodes: { wait }, routes: {} })
    : graph.build({ entry: 'wait', nodes: { wait, thank }, routes: { wait: [{ to: 'thank' }] } });
}

/** One node whose first operation bears the name given. */
function workOf(name: string) {
  const graph = defineGraph({ name: 'work', input: z.object({}) });
  const work = graph.step(async ctx => {
    await ctx.run(name, () => 1);
    await ctx.sleep('a while', '1h');
    return null;
  });
  return graph.build({ entry: 'work', nodes: { work }, routes: {} });
}

describe('a deploy that adds a node while a run waits', () => {
  it('leaves the run on the graph that it began with, and new runs get the new one', async () => {
    const before = testbox({ graphs: [graphOf('old')] });
    const { id } = await before.start('order', {});
    await before.settle();
    const after = await before.restart({ clean: true, graphs: [graphOf('new')] });
    const younger = await after.start('order', {});
    await after.advance('30d');
    expect(await after.get(id).view()).toMatchObject({ status: 'completed', output: 'ship' });
    expect(await younger.view()).toMatchObject({ status: 'completed', output: 'thank' });
    expect(done.calls.flat()).toEqual(['reserve', 'reserve', 'ship', 'ship', 'thank']);
    expect(after.errors).toEqual([]);
    await after.close();
  });

  it('keeps the run waiting, and says for what, while the process lacks code of its graph', async () => {
    const before = testbox({ graphs: [graphOf('new')] });
    const { id } = await before.start('order', {});
    await before.settle();
    const without = await before.restart({ graphs: [] });
    await without.advance('31d');
    expect((await without.store.run(id))?.reason).toBe('handlerMissing');
    const again = await without.restart({ graphs: [graphOf('new')] });
    expect(await again.get(id).view()).toMatchObject({ status: 'completed', output: 'thank' });
    await again.close();
  });
});

describe('code that changed while a run waits', () => {
  it('suspends the run, also when what is new is done before what is missing is noticed', async () => {
    const before = testbox({ graphs: [workOf('old')] });
    const { id } = await before.start('work', {});
    await before.settle();
    const after = await before.restart({ graphs: [workOf('new')] });
    await after.advance('1h');
    await after.advance('1s');
    expect(await after.get(id).view()).toMatchObject({ status: 'suspended', reason: 'codeChanged' });
    const back = await after.restart({ graphs: [workOf('old')] });
    await back.get(id).resume();
    expect(await back.get(id).settled()).toMatchObject({ status: 'completed' });
    await back.close();
  });
});

describe('state edited while a handler waits', () => {
  it('is not seen by the handler until it asks for it, and then the same at every execution', async () => {
    const graph = defineGraph({ name: 'g', input: z.object({}), state: z.object({ limit: z.number().default(5) }) });
    const seen: unknown[] = [];
    const g = graph.build({
      entry: 'a',
      nodes: {
        a: graph.step(async ctx => {
          const first = ctx.state.limit;
          await ctx.sleep('a while', '1h');
          const frozen = ctx.state.limit;
          const { limit } = await ctx.refresh();
          await ctx.sleep('a while longer', '1h');
          seen.push([first, frozen, limit]);
          return limit;
        }),
      },
      routes: {},
    });
    let box = testbox({ graphs: [g] });
    const { id } = await box.start(g, {});
    await box.advance('30m');
    await box.get(id).edit({ limit: 7 });
    box = await box.restart();
    await box.advance('45m');
    await box.get(id).edit({ limit: 9 });
    box = await box.restart();
    await box.advance('1h');
    expect(await box.get(id).view()).toMatchObject({ status: 'completed', output: 7 });
    expect(seen).toEqual([[5, 5, 7]]);
    expect(await box.get(id).state()).toEqual({ limit: 9 });
    await box.close();
  });
});
