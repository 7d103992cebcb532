import { scriptedModel, testbox } from '@signalbox/testkit';
import { defineGraph } from 'signalbox';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const OWNER = 'Ada of the Hill';
const CARD = 'card 4711 0815';
const KEY = 'gate way key';

/** An agent that is told an owner and pays by card; what its model says comes word by word. */
function world() {
  const builder = defineGraph({ name: 'pays', input: z.object({ owner: z.string().meta({ sensitive: true }) }) });
  const input_schema = { type: 'object', properties: { card: { type: 'string' } } };
  const work = builder.agent({
    model: 'test/one',
    contract: {
      version: '1.0',
      agent_name: 'payer',
      allowed_tools: [{ name: 'pay', effect: 'read', input_schema, sensitive: ['/card'] }],
    },
    tools: { pay: async (_, { secret }) => ({ paid: (await secret('secret:GATEWAY')).length }) },
    prompt: ({ input }) => `Pay for ${input.owner}.`,
  });
  const graph = builder.build({ entry: 'work', nodes: { work }, routes: {} });
  const told: string[] = [];
  const models = scriptedModel([
    { text: `For ${OWNER} then.`, calls: [{ tool: 'pay', arguments: { card: CARD } }] },
    `Done with ${CARD} and ${KEY}: ${OWNER.slice(0, 6)}`,
  ]);
  const observer = { text: (_: unknown, delta: string) => void told.push(delta) };
  return { told, box: testbox({ graphs: [graph], models, observer, secrets: () => KEY }) };
}

describe('the text of a model as it comes', () => {
  it('shows nothing that is known to be sensitive, also where it comes in several parts', async () => {
    const { told, box } = world();
    const run = await box.start('pays', { owner: OWNER });
    const streamed: string[] = [];
    for await (const row of run.stream()) if (!row.durable) streamed.push(row.delta);
    expect(told.join('')).toBe('For *** then.Done with *** and ***: Ada of');
    expect(streamed).toEqual(told);
    expect(told.slice(0, 3)).toEqual(['For ', '*** ', 'then.']);
  });
});
