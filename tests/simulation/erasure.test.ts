import { defineGraph } from '@signalbox/core';
import { verifyStream } from '@signalbox/runtime';
import { testbox } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

describe('erase, then verify', () => {
  it('leaves a chain that verifies, a value that reads as erased, and a run that goes on', async () => {
    const graph = defineGraph({ name: 'g', input: z.object({ letter: z.string() }) });
    const g = graph.build({
      entry: 'a',
      nodes: {
        a: graph.step(async ctx => {
          await ctx.sleep('a while', '1h');
          return 'done';
        }),
      },
      routes: {},
    });
    let box = testbox({ graphs: [g], chain: true, payloadLimit: 100 });
    const run = await box.start(g, { letter: 'private '.repeat(50) });
    await box.settle();
    const [commit] = await box.store.read(run.id);
    expect(commit!.sealed!.text).not.toContain('private');
    const digest = /"digest":"([^"]+)"/.exec(commit!.sealed!.text)![1]!;
    await box.get(run.id).erase(digest, { as: 'user:dpo', reason: 'asked for' });
    box = await box.restart();
    expect(await verifyStream(box.store, run.id)).toMatchObject({ ok: true });
    const { run: loaded } = await box.engine.load(run.id);
    expect(JSON.stringify(loaded.input)).toContain('$erased');
    await box.advance('1h');
    expect(await box.get(run.id).view()).toMatchObject({ status: 'completed', output: 'done' });
    expect(await verifyStream(box.store, run.id)).toMatchObject({ ok: true });
    await box.close();
  });
});
