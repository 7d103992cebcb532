import { defineGraph } from '@signalbox/core';
import { readCommits, why } from '@signalbox/runtime';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { scriptedModel } from './scripted-model.ts';
import { testbox } from './testbox.ts';

it('why tells of the call that was refused, with its reason, and of the budget that was reached, in words', async () => {
  const desk = defineGraph({ name: 'desk', input: z.object({}), limits: { budget: { modelCalls: 1 } } });
  const agent = desk.agent({
    model: 'test/one',
    contract: {
      agent_name: 'desk',
      allowed_tools: [{ name: 'refund', effect: 'read', when: 'false', input_schema: { type: 'object' } }],
    },
    tools: { refund: () => null },
    prompt: 'Hello',
    timeout: '1m',
  });
  const graph = desk.build({ entry: 'agent', nodes: { agent }, routes: {} });
  const models = scriptedModel([{ calls: [{ tool: 'refund', arguments: {} }] }, 'Done.']);
  const box = testbox({ graphs: [graph], models });
  const run = await box.start(graph, {});
  expect((await run.settled()).status).toBe('failed');
  const { rows } = await why(readCommits(box.store, run.id));
  expect(rows.map(({ text }) => text)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^refund may not be called: disabledInState: /),
      expect.stringMatching(
        /^model#2 would pass the budget of the run: at most 1 call of a model; used or reserved 1 call of a model/,
      ),
    ]),
  );
  await box.close();
});
