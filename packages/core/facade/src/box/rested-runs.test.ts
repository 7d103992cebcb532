import { testbox } from '@signalbox/testkit';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { defineGraph } from '../builder/define-graph.ts';

it('a run whose questions are answered one after the other is not read from the store for any of them', async () => {
  const builder = defineGraph({ name: 'survey', input: z.object({ people: z.array(z.string()) }) });
  const each = builder.map({
    items: 'input.people',
    body: builder.ask({ title: 'Do you come?', kind: 'confirmation' }),
  });
  const graph = builder.build({ entry: 'each', nodes: { each }, routes: {} });
  const box = testbox({ graphs: [graph] });
  const run = await box.start(graph, { people: Array.from({ length: 20 }, (_, index) => `person ${index}`) });
  const { requests } = await run.settled();
  const read = vi.spyOn(box.engine.store, 'read');
  for (const { id } of requests) await box.answer(id, { action: 'approve', as: 'user:finn' });
  expect(await run.settled()).toMatchObject({ status: 'completed' });
  expect(read).not.toHaveBeenCalled();
});
