import type { ModelUsage } from '@signalbox/ports';
import { scriptedModel, testbox } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineGraph } from './define-graph.ts';

const builder = defineGraph({ name: 'desk', input: z.object({ ask: z.string() }) });
const agent = builder.agent({
  model: 'test/one',
  contract: { version: '1', agent_name: 'desk', allowed_tools: [] },
  prompt: ({ input }) => input.ask,
  maxOutputTokens: 500,
});
const graph = builder.build({ entry: 'agent', nodes: { agent }, routes: {} });

async function tokensOf(usage: ModelUsage): Promise<number> {
  const box = testbox({ graphs: [graph], models: scriptedModel([{ text: 'Done.', usage }]) });
  const run = await box.start('desk', { ask: 'Charged twice!' });
  await run.settled();
  let spent = 0;
  for await (const { type, data } of run.events())
    if (type === 'budget.spent') spent += (data as { readonly amounts: { readonly tokens: number } }).amounts.tokens;
  return spent;
}

describe('what a call of a model spends', () => {
  it('is what its reply says', async () => {
    expect(await tokensOf({ input: 20, output: 5 })).toBe(25);
  });

  it('is what was reserved where the service tells nothing', async () => {
    const tokens = await tokensOf({ input: 0, output: 0, unknown: true });
    expect(tokens).toBeGreaterThan(500);
  });
});
