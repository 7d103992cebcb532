import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { calls, desk, tool } from './testing/desk.ts';

type Says = Parameters<typeof desk>[0]['says'];

/** An agent whose tool `pay` is called once, and fails with what it says then. */
function failing(says: Says, more: { readonly agent?: object; readonly contract?: object } = {}) {
  let paid = 0;
  const made = desk({
    tools: { pay: () => (paid += 1), look: ({ n }) => n },
    allowed: [tool('pay', { effect: 'once', limits: { per_run: 2 } }), tool('look')],
    says: [calls('pay', { cents: 5 }), ...says],
    ...more,
  });
  return { ...made, paid: () => paid };
}

const VERDICT = { output: z.object({ verdict: z.enum(['yes', 'no']) }) };
const BAD = calls('look', '{"n": ');

const FAILURES: readonly (readonly [string, Says, object])[] = [
  ['ReplyInvalid', ['a', 'b', 'c'], VERDICT],
  ['ToolCallInvalid', [BAD, BAD, BAD], VERDICT],
  ['ModelRefused', [{ text: 'I cannot.', finish: 'refused' }], VERDICT],
  ['NoProgress', [1, 1, 1].map(n => calls('look', { n })), VERDICT],
  ['LimitReached', [calls('look', { n: 1 }), calls('look', { n: 2 })], { ...VERDICT, maxTurns: 3 }],
];

describe('a retry by the controller of an agent that failed by what its model said', () => {
  it.each(FAILURES)('asks the model anew, and does nothing again that was done (%s)', async (code, says, agent) => {
    const { run, paid, models } = failing([...says, '{"verdict":"yes"}'], { agent });
    const handle = await run();
    expect(await handle.view()).toMatchObject({ status: 'failed', error: { code } });
    const before = models.requests.length;
    await handle.retry({ reason: 'again', as: 'user:finn' });
    expect(await handle.settled()).toMatchObject({ status: 'completed', output: { verdict: 'yes' } });
    expect(models.requests).toHaveLength(before + 1);
    expect(paid()).toBe(1);
    expect((await handle.reExecute()).difference).toBeUndefined();
  });

  it('tells it nothing of the replies that were of no use, and asks it each time', async () => {
    const { run, paid, models } = failing(['a', 'b', 'c', 'd', 'e', 'f', '{"verdict":"no"}'], { agent: VERDICT });
    const handle = await run();
    await handle.retry({ reason: 'again', as: 'user:finn' });
    expect(await handle.settled()).toMatchObject({ status: 'failed', error: { code: 'ReplyInvalid' } });
    await handle.retry({ reason: 'and again', as: 'user:finn' });
    expect(await handle.settled()).toMatchObject({ status: 'completed', output: { verdict: 'no' } });
    expect(models.requests.at(-1)!.messages).toEqual(models.requests[1]!.messages);
    expect(paid()).toBe(1);
  });

  it('goes on where a process dies in the middle of it', async () => {
    const { run, paid, box } = failing(['a', 'b', 'c', 'd', { fails: 'ModelUnavailable' }, '{"verdict":"no"}'], {
      agent: VERDICT,
    });
    const { id } = await run();
    await box.get(id).retry({ reason: 'again', as: 'user:finn' });
    expect(await box.get(id).settled()).toMatchObject({ status: 'failed', error: { code: 'ModelUnavailable' } });
    const other = await box.restart();
    await other.get(id).retry({ reason: 'and again', as: 'user:finn' });
    expect(await other.get(id).settled()).toMatchObject({ status: 'completed', output: { verdict: 'no' } });
    expect(paid()).toBe(1);
  });

  it('asks anew about a reply of which the agent is not sure, after the one before was declined', async () => {
    const { run, box } = failing(['{"text":"Five.","confidence":0.1}', '{"text":"Five.","confidence":0.1}'], {
      agent: { output: z.object({ text: z.string(), confidence: z.number() }) },
      contract: { confidence: { below: 0.5 } },
    });
    const handle = await run();
    const answer = async (action: 'approve' | 'reject') => {
      const [request] = (await box.inbox()).rows;
      await box.answer(request!.requestId, { action, as: 'user:finn' });
      return await handle.settled();
    };
    expect(await answer('reject')).toMatchObject({ status: 'failed', error: { code: 'Declined' } });
    await handle.retry({ reason: 'again', as: 'user:finn' });
    await box.settle();
    expect(await answer('approve')).toMatchObject({ status: 'completed', output: { text: 'Five.' } });
  });

  it('counts a call that was taken over once', async () => {
    const { run, paid } = failing(['a', 'b', 'c', calls('pay', { cents: 7 }), '{"verdict":"yes"}'], { agent: VERDICT });
    const handle = await run();
    await handle.retry({ reason: 'again', as: 'user:finn' });
    expect(await handle.settled()).toMatchObject({ status: 'completed', output: { verdict: 'yes' } });
    expect(paid()).toBe(2);
  });
});
