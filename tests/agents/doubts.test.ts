import { describe, expect, it } from 'vitest';
import { calls, desk, deskGraph, eventsOf, tool } from './testing/desk.ts';

const ARGS = { to: 'DE02 1203 0000', amount: 5, pin: 77 };
const SENSITIVE = { sensitive: ['pin'] };

/** A call that takes too long, so that nobody knows what became of it. */
async function inDoubt(more: object = {}) {
  const parts = {
    tools: { pay: () => new Promise(() => {}) },
    allowed: [tool('pay', { effect: 'once', timeout: '1s', ...more })],
    agent: { timeout: '1d' },
  };
  const { box } = desk({ ...parts, says: [calls('pay', ARGS), 'Paid.'] });
  const run = await box.start('desk', {} as never);
  await box.advance('1m');
  const { requests } = await run.settled();
  return { box, run, question: requests[0]!, graph: deskGraph(parts) };
}

describe('the question whether a call of a tool happened', () => {
  it('shows what the call was to do', async () => {
    const { box, run, question } = await inDoubt();
    expect(question).toMatchObject({ about: 'doubt', context: { operation: expect.stringContaining('pay#1') } });
    expect(JSON.parse((question.context as { arguments: string }).arguments)).toEqual(ARGS);
    expect(await eventsOf(box, run.id, 'op.intended')).toContainEqual(
      expect.objectContaining({ op: 'pay#1', request: { arguments: ARGS } }),
    );
    await box.answer(question.id, { values: { outcome: 'done' }, as: 'user:finn' });
    expect(await run.settled()).toMatchObject({ status: 'completed', output: 'Paid.' });
    expect((await run.reExecute()).difference).toBeUndefined();
  });

  it('shows what the contract marks as sensitive masked, however short it is', async () => {
    const { box, run, question } = await inDoubt(SENSITIVE);
    expect(JSON.parse((question.context as { arguments: string }).arguments)).toEqual({ ...ARGS, pin: '***' });
    const log = await eventsOf(box, run.id, 'op.intended');
    expect(log).toContainEqual(
      expect.objectContaining({ op: 'pay#1', request: { arguments: { ...ARGS, pin: '***' } } }),
    );
    await box.answer(question.id, { values: { outcome: 'done' }, as: 'user:finn' });
    expect(await run.settled()).toMatchObject({ status: 'completed' });
    expect((await run.reExecute()).difference).toBeUndefined();
  });

  it('shows it in a fork that comes to what its parent has done, too', async () => {
    const { box } = desk({
      tools: { pay: () => 'paid' },
      allowed: [tool('pay', { effect: 'once' })],
      says: [calls('pay', ARGS), 'Paid.', calls('pay', ARGS), 'Paid.'],
    });
    const parent = await box.start('desk', {} as never);
    await parent.settled();
    const child = await parent.fork({ at: 4, effects: 'ask' });
    const { requests } = await child.settled();
    expect(requests).toMatchObject([{ about: 'doubt', context: { gave: '"paid"' } }]);
    expect(JSON.parse((requests[0]!.context as { arguments: string }).arguments)).toEqual(ARGS);
  });
});
