import { defineGraph } from '@signalbox/core';
import { countedEffect, testbox } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

function graphWith(work: string) {
  const graph = defineGraph({ name: 'g', input: z.object({}) });
  return graph.build({
    entry: 'a',
    nodes: {
      a: graph.step(async ctx => {
        await ctx.run(work, () => 1);
        await ctx.sleep('a while', '1h');
        return null;
      }),
    },
    routes: {},
  });
}

describe('code that changed while a run waits', () => {
  it('suspends the run when an operation is done that was not recorded in place of one that was', async () => {
    const box = testbox({ graphs: [graphWith('old')] });
    const run = await box.start('g', {});
    await box.settle();
    const next = await box.restart({ graphs: [graphWith('new')] });
    await next.advance('1h');
    await next.advance('1s');
    expect(await next.get(run.id).view()).toMatchObject({ status: 'suspended', reason: 'codeChanged' });
    await next.close();
  });
});
void countedEffect;
