import { scriptedModel, testbox } from '@signalbox/testkit';
import { append, defineGraph, type ToolCode } from 'signalbox';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { calls, tool } from './testing/desk.ts';

/** An agent over a state with a list that grows and a step. */
function running(
  tools: Readonly<Record<string, ToolCode>>,
  allowed: readonly object[],
  says: Parameters<typeof scriptedModel>[0],
) {
  const builder = defineGraph({
    name: 'own-writes',
    input: z.object({}),
    state: z.object({ seen: append(z.array(z.string())), step: z.string().default('new') }),
  });
  const before = builder.step(({ update }) => update({ seen: ['a'] }));
  const agent = builder.agent({
    model: 'test/one',
    contract: { version: '1.0', agent_name: 'desk', allowed_tools: allowed },
    tools,
    prompt: 'Go.',
    timeout: '1h',
  });
  const graph = builder.build({ entry: 'before', nodes: { before, agent }, routes: { before: [{ to: 'agent' }] } });
  const models = scriptedModel(says);
  return { box: testbox({ graphs: [graph], models }), models };
}

describe('what the tools of an agent wrote', () => {
  it('is seen by the next call as the reducer of its key makes it: what stood in a list before is still in it', async () => {
    const opened: unknown[] = [];
    const { box } = running(
      { find: () => 'b', open: ({ id }) => opened.push(id) && null },
      [tool('find', { writes: { seen: '[output]' } }), tool('open', { bind: { id: 'state.seen' } })],
      [calls('find'), calls('open', { id: 'a' }), calls('open', { id: 'b' }), 'Done.'],
    );
    const run = await box.start('own-writes', {});
    expect(await run.settled()).toMatchObject({ status: 'completed' });
    expect(opened).toEqual(['a', 'b']);
    expect(await run.state()).toMatchObject({ seen: ['a', 'b'] });
  });

  it('still stands for a call that was approved meanwhile', async () => {
    let sent = 0;
    const { box } = running(
      { ready: () => 'sure', send: () => (sent += 1) },
      [
        tool('ready', { writes: { step: "'ready'" } }),
        tool('send', { effect: 'once', approval: true, when: "state.step == 'ready'" }),
      ],
      [calls('ready'), calls('send'), 'Done.'],
    );
    const run = await box.start('own-writes', {});
    await run.settled();
    const [request] = (await box.inbox()).rows;
    await box.answer(request!.requestId, { action: 'approve', as: 'user:finn' });
    expect(await run.settled()).toMatchObject({ status: 'completed' });
    expect(sent).toBe(1);
  });
});
