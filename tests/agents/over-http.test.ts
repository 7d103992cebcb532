import { testbox } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { FLAVOURS, type Flavour, MODEL, modelsAt } from '../../packages/models/ai-sdk/src/testing/flavour.ts';
import { served } from '../../packages/models/ai-sdk/src/testing/served.ts';
import type { Turn } from '../../packages/models/ai-sdk/src/testing/turn.ts';
import { deskGraph, eventsOf, tool } from './testing/desk.ts';

const INPUT = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } };

function call(text: string, id: string): Turn {
  return { calls: [{ id, tool: 'look', arguments: text }] };
}

/** A run of an agent whose model answers by HTTP as the turns say. */
async function agentAt(flavour: Flavour, ...turns: readonly Turn[]) {
  const { url, script, received } = await served();
  script(...turns);
  const seen: unknown[] = [];
  const graph = deskGraph({
    tools: { look: args => seen.push(args) && 'It was seen.' },
    allowed: [tool('look', { input_schema: INPUT })],
    agent: { model: MODEL[flavour], maxOutputTokens: 500 },
  });
  const box = testbox({ graphs: [graph], models: modelsAt(url) });
  const run = await box.start('desk', {} as never);
  let text = '';
  for await (const row of run.stream()) if (!row.durable) text += row.delta;
  return { box, run, seen, received, text, view: await run.view() };
}

describe.each(FLAVOURS)('an agent whose model is %s over HTTP', flavour => {
  it('gets through what is turned away, overloaded, malformed and empty, and says its text as it comes', async () => {
    const faults = [{ status: 429, headers: { 'retry-after-ms': '2' } }, { status: 500 }] as const;
    const { box, run, seen, received, text, view } = await agentAt(
      flavour,
      ...faults,
      call('{"id":"a', 'c1'),
      call('{"id":"a"}', 'c2'),
      { text: '' },
      { text: 'It is there.' },
    );
    expect(view).toMatchObject({ status: 'completed', output: 'It is there.' });
    expect([text, seen]).toEqual(['It is there.', [{ id: 'a' }]]);
    expect(received.map(({ body }) => body.stream)).toEqual(Array(6).fill(true));
    expect(await eventsOf(box, run.id, 'tool.judged')).toMatchObject([
      { call: 'c1', refusal: { code: 'argumentsUnreadable' } },
      { call: 'c2', verdict: 'ready', args: { id: 'a' } },
    ]);
    const replies = (await eventsOf(box, run.id, 'op.recorded')).filter(({ kind }) => kind === 'model');
    expect(replies.map(({ value }) => (value as { attempts: number }).attempts)).toEqual([3, 1, 1, 1]);
    const spent = (await eventsOf(box, run.id, 'budget.spent')).map(({ amounts }) => amounts);
    expect(spent.filter(amounts => (amounts as { tokens?: number }).tokens === 18)).toHaveLength(4);
  });

  it('fails by name where its reply breaks off, and what it may have cost counts', async () => {
    const { box, run, view } = await agentAt(flavour, { text: 'The refund is 19.90 euros.', cutAfter: 5 });
    expect(view).toMatchObject({ status: 'failed', error: { code: 'ModelReplyInvalid' } });
    const [spent] = await eventsOf(box, run.id, 'budget.spent');
    expect((spent!.amounts as { tokens: number }).tokens).toBeGreaterThan(500);
  });

  it('fails by name where it refuses', async () => {
    const { view } = await agentAt(flavour, { text: 'I cannot help with that.', finish: 'refused' });
    expect(view).toMatchObject({ status: 'failed', error: { code: 'ModelRefused' } });
  });
});
