import { scriptedModel, testbox } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { calls, desk, deskGraph, eventsOf, tool } from './testing/desk.ts';

const TURNS = 10;
const LOOKING = {
  tools: { look: ({ n }: { n?: unknown }) => `seen ${n}: ${'x'.repeat(500)}` },
  allowed: [tool('look')],
};
const says = [...Array.from({ length: TURNS }, (_, n) => calls('look', { n })), 'Done.'];

type Recorded = { request: Record<string, unknown> & { messages: Record<string, unknown>[] } };

async function requestsOf(box: Parameters<typeof eventsOf>[0], id: string) {
  const intended = await eventsOf(box, id, 'op.intended');
  return intended.filter(({ kind }) => kind === 'model').map(event => (event as unknown as Recorded).request);
}

describe('the record of a call of a model', () => {
  it('holds what the model was told anew since the call before it', async () => {
    const { run, box } = desk({ ...LOOKING, says, agent: { system: 'You are a desk.' } });
    const handle = await run({ ask: 'Look around.' });
    const [first, second] = await requestsOf(box, handle.id);
    expect(first).toEqual({
      model: 'test/one',
      system: expect.stringContaining('You are a desk.'),
      tools: ['look'],
      messages: [{ role: 'user', text: 'Look around.' }],
    });
    expect(second).toEqual({
      messages: [{ role: 'tool', id: 'call_1', tool: 'look', result: expect.stringContaining('seen 0') }],
    });
  });

  it('says the system prompt and the tools again where they changed', async () => {
    const { run, box } = desk({
      tools: { look: () => 1, offer: () => 1 },
      allowed: [tool('look', { writes: { step: "'offer'" } }), tool('offer', { when: "state.step == 'offer'" })],
      says: [calls('look'), 'Done.'],
    });
    const handle = await run({ state: { step: 'screening' } });
    const [first, second] = await requestsOf(box, handle.id);
    expect(first).toMatchObject({ tools: ['look'], system: expect.stringContaining('screening') });
    expect(second).toMatchObject({ tools: ['look', 'offer'], system: expect.stringContaining('offer') });
  });

  it('says which texts of the contract the model was not told as they cannot be evaluated, where that is news', async () => {
    const { run, box } = desk({
      tools: { look: ({ n }) => ({ n }) },
      allowed: [tool('look', { bridge: 'Seen: {{ output.nothing }}' })],
      contract: {
        dynamic_prompts: [
          { condition: 'state.nothing > 1', template: 'Never seen.' },
          { condition: 'state.complaints == 0', template: 'Step: {{ state.step }}' },
        ],
      },
      says: [calls('look', { n: 1 }), calls('look', { n: 2 }), 'Done.'],
    });
    const handle = await run();
    const prompts = [
      { what: 'dynamic prompt `state.nothing > 1`', reason: expect.stringContaining('nothing') },
      { what: 'dynamic prompt `state.complaints == 0`', reason: expect.stringContaining('step') },
    ];
    const bridge = { what: 'bridge of `look`', reason: expect.stringContaining('nothing') };
    const requests = await requestsOf(box, handle.id);
    expect(requests.map(({ leftOut }) => leftOut)).toEqual([prompts, [...prompts, bridge], undefined]);
    expect(await handle.reExecute()).toMatchObject({ same: true });
  });

  it('does not grow with the conversation, and is part of the run executed once more', async () => {
    const { run, box } = desk({ ...LOOKING, says });
    const handle = await run();
    const requests = await requestsOf(box, handle.id);
    expect(requests).toHaveLength(TURNS + 1);
    const sizes = requests.map(request => JSON.stringify(request).length);
    expect(sizes.at(-1)).toBeLessThan(sizes[1]! + 10);
    expect(requests.flatMap(({ messages }) => messages)).toHaveLength(TURNS + 1);
    expect(await handle.reExecute()).toMatchObject({ same: true });
  });

  it('is of every message once where the cheaper model goes on', async () => {
    const { run, box } = desk({
      ...LOOKING,
      contract: { budgets: { run: { model_calls: 1 }, on_reached: 'degrade' } },
      says: [calls('look', { n: 1 }), 'Done.'],
      agent: { cheaperModel: 'test/small' },
    });
    const handle = await run();
    const [, second] = await requestsOf(box, handle.id);
    expect(second).toMatchObject({ model: 'test/small', messages: [{ role: 'tool' }] });
  });
});

describe('the record of a call, as a digest', () => {
  const QUIET = { says: [calls('look', { n: 7 }), 'Done.'], ask: 'The secret word is plum.' };

  it.each([
    ['of the agent', { agent: { record: 'digest' } }, {}],
    ['of the box', {}, { modelRecords: 'digest' as const }],
  ])('holds who was told, and how much, but not what: %s', async (_, agent, options) => {
    const graphs = [deskGraph({ ...LOOKING, ...agent })];
    const box = testbox({ graphs, models: scriptedModel(QUIET.says), ...options });
    const run = await box.start('desk', { ask: QUIET.ask } as never);
    expect(await run.settled()).toMatchObject({ status: 'completed' });
    const [first, second] = await requestsOf(box, run.id);
    expect(first).toMatchObject({ model: 'test/one', tools: ['look'], messages: [{ role: 'user', chars: 24 }] });
    expect(second).toMatchObject({ messages: [{ role: 'tool', id: 'call_1', tool: 'look', chars: 508 }] });
    expect(JSON.stringify([first, second])).not.toMatch(/plum|seen|Known|State/);
  });

  it('is what its agent says, whatever the box says; a run executed once more does not mind', async () => {
    const graphs = [deskGraph({ ...LOOKING, agent: { record: 'full' } })];
    const box = testbox({ graphs, models: scriptedModel(QUIET.says), modelRecords: 'digest' });
    const run = await box.start('desk', { ask: QUIET.ask } as never);
    await run.settled();
    const [first] = await requestsOf(box, run.id);
    expect(first).toMatchObject({ messages: [{ text: QUIET.ask }] });
    const quiet = testbox({
      graphs: [deskGraph(LOOKING)],
      models: scriptedModel(QUIET.says),
      modelRecords: 'digest',
    });
    const again = await quiet.start('desk', { ask: QUIET.ask } as never);
    await again.settled();
    expect(await again.reExecute()).toMatchObject({ same: true });
  });
});
