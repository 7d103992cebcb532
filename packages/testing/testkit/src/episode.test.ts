import { defineGraph } from '@signalbox/core';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { testbox } from './testbox.ts';

it('a handler that waits reads the episode that its node began in, whatever pass a sibling begins meanwhile', async () => {
  const graph = defineGraph({ name: 'two', input: z.object({}) });
  const read: number[] = [];
  const two = graph.build({
    entry: 'fork',
    nodes: {
      fork: graph.step(() => null),
      waiting: graph.step(async ctx => {
        read.push(ctx.run.episode);
        await ctx.sleep('a while', '1h');
        return ctx.run.episode;
      }),
      work: graph.step(ctx => ctx.run.episode),
      check: graph.ask({ title: 'Again?', form: z.object({}), resume: { mode: 'restart' } }),
      done: { ...graph.join(), join: 'all' },
    },
    routes: {
      fork: [{ to: ['waiting', 'work'] }],
      waiting: [{ to: 'done' }],
      work: [{ to: 'check', when: 'run.episode == 0' }, { to: 'done' }],
      check: [{ to: 'done' }],
    },
  });
  const box = testbox({ graphs: [two] });
  const run = await box.start(two, {});
  const asked = await run.settled();
  if (asked.status !== 'suspended') throw new Error(asked.status);
  await box.answer(asked.requests[0]!.id, { action: 'approve', values: {}, as: 'user:finn' });
  await box.advance('1h');
  expect(await run.view()).toMatchObject({
    status: 'completed',
    output: [
      { status: 'arrived', output: 0 },
      { status: 'arrived', output: 1 },
    ],
  });
  expect(read).toEqual([0, 0]);
  await box.close();
});
