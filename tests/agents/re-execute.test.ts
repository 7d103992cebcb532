import { describe, expect, it } from 'vitest';
import { calls, desk, tool } from './testing/desk.ts';

describe('a run of an agent, executed once more', () => {
  it('comes out as it was recorded, without a call of the model or of a tool', async () => {
    let done = 0;
    const { run, models, box } = desk({
      tools: { look: () => (done += 1), pay: () => (done += 1) },
      allowed: [tool('look', { writes: { step: "'seen'" } }), tool('pay', { effect: 'once', approval: true })],
      contract: { budgets: { run: { model_calls: 5, tokens: 100_000 } } },
      says: [calls('look', { n: '1' }), calls('gone'), calls('pay', { cents: 5 }), 'Done.'],
    });
    const handle = await run();
    const [request] = (await box.inbox()).rows;
    await box.answer(request!.requestId, { action: 'approve', as: 'user:finn' });
    expect(await handle.settled()).toMatchObject({ status: 'completed' });
    const before = { calls: models.requests.length, done };
    const again = await handle.reExecute();
    expect(again.difference).toBeUndefined();
    expect(again.same).toBe(true);
    expect({ calls: models.requests.length, done }).toEqual(before);
  });

  it('comes out the same where a call timed out, was done again, and its budget was reached and granted twice', async () => {
    const { box } = desk({
      tools: { look: ({ n }) => n },
      allowed: [tool('look')],
      contract: { budgets: { run: { model_calls: 1 }, on_reached: 'ask' } },
      says: [{ fails: 'ModelTimeout' }, calls('look', { n: 1 }), 'Done.'],
      agent: { retry: { attempts: 2, backoff: '10ms' } },
    });
    const handle = await box.start('desk', {} as never);
    await box.advance('1s');
    for (const _ of [1, 2]) {
      const [request] = (await box.inbox()).rows;
      await box.answer(request!.requestId, { action: 'approve', as: 'user:finn' });
      await box.settle();
    }
    expect(await handle.settled()).toMatchObject({ status: 'completed' });
    const again = await handle.reExecute();
    expect(again.difference).toBeUndefined();
    expect(again.same).toBe(true);
  });
});
