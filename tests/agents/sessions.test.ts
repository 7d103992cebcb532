import { scriptedModel, testbox } from '@signalbox/testkit';
import { defineGraph } from 'signalbox';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { calls, deskGraph, tool } from './testing/desk.ts';

const noting = defineGraph({ name: 'noting', input: z.object({}) });
const note = noting.step(({ session }) => {
  session?.update({ mood: 'angry' });
});
const noted = noting.build({ entry: 'note', nodes: { note }, routes: {} });

describe('an agent in a session', () => {
  it('reads the session as it was when its node began, however it changes while a call waits for its approval', async () => {
    const contract = { dynamic_prompts: [{ condition: "session.state.mood == 'angry'", template: 'Be kind.' }] };
    const sent: unknown[] = [];
    const allowed = [tool('send', { effect: 'once', approval: true })];
    const desk = deskGraph({ tools: { send: args => sent.push(args) }, allowed, contract });
    const models = scriptedModel([calls('send', { n: 1 }), 'Sent.']);
    const box = testbox({ graphs: [desk, noted], models });
    const run = await box.start('desk', {} as never, { session: 'ses_1' });
    await run.settled();
    await (await box.start(noted, {}, { session: 'ses_1' })).settled();
    const [request] = (await box.inbox()).rows;
    await box.answer(request!.requestId, { action: 'approve', as: 'user:finn' });
    expect(await run.settled()).toMatchObject({ status: 'completed', output: 'Sent.' });
    expect(sent).toHaveLength(1);
    expect(models.requests[1]!.system).not.toContain('Be kind.');
  });
});
