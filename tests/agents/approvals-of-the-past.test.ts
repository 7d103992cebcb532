import { type Commit, foldCommits, initialState } from '@signalbox/kernel';
import { readCommits } from '@signalbox/runtime';
import type { Testbox } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { calls, desk, tool } from './testing/desk.ts';

const CALL = calls('pay', { cents: 5 });

function paying(
  effect: 'once' | 'repeat',
  says: Parameters<typeof desk>[0]['says'],
  more: Partial<Parameters<typeof desk>[0]> = {},
) {
  const paid: unknown[] = [];
  const made = desk({
    tools: { pay: args => paid.push(args) },
    allowed: [tool('pay', { effect, approval: true })],
    says,
    ...more,
  });
  return { ...made, paid };
}

async function approve(box: Testbox): Promise<void> {
  const { rows } = await box.inbox();
  expect(rows).toMatchObject([{ title: 'May "pay" be called?' }]);
  await box.answer(rows[0]!.requestId, { action: 'approve', as: 'user:finn' });
  await box.settle();
}

async function seqOf(box: Testbox, id: string, type: string): Promise<number> {
  for await (const event of box.get(id).events()) if (event.type === type) return event.seq;
  throw new Error(`No ${type} in ${id}.`);
}

/** A run whose call was approved and done, and the point between the two. */
async function approved(effect: 'once' | 'repeat') {
  const made = paying(effect, [CALL, 'Paid.', 'Paid.']);
  const run = await made.run();
  await approve(made.box);
  expect(await run.settled()).toMatchObject({ status: 'completed' });
  return { ...made, run, at: await seqOf(made.box, run.id, 'request.answered') };
}

describe('an approval that was given before the point of a fork', () => {
  it.each(['once', 'repeat'] as const)('lets nothing run in the child: that is asked for anew (%s)', async effect => {
    const { run, box, paid, at } = await approved(effect);
    const child = await run.fork({ at, effects: 'live', as: 'user:kim' });
    await box.settle();
    expect(await child.view()).toMatchObject({ status: 'suspended' });
    expect(paid).toHaveLength(1);
    await approve(box);
    expect(await child.settled()).toMatchObject({ status: 'completed' });
    expect(paid).toHaveLength(2);
  });

  it('is asked for anew where the result of the parent is taken as well', async () => {
    const { run, box, paid, at } = await approved('once');
    const child = await run.fork({ at, effects: 'recorded', as: 'user:kim' });
    await box.settle();
    await approve(box);
    expect(await child.settled()).toMatchObject({ status: 'completed' });
    expect(paid).toHaveLength(1);
  });

  it('is still the one of the parent that has not used it yet', async () => {
    const { run, box, paid } = paying('once', [CALL, 'Paid.', 'Paid.']);
    const parent = await run();
    await parent.pause({ reason: 'wait', as: 'user:finn' });
    await approve(box);
    const child = await parent.fork({ effects: 'live', as: 'user:kim' });
    for (const each of [child, parent]) await each.resume({ reason: 'go', as: 'user:finn' });
    await box.settle();
    expect(await parent.settled()).toMatchObject({ status: 'completed' });
    expect(await child.view()).toMatchObject({ status: 'suspended' });
    expect(paid).toHaveLength(1);
  });

  it('stands where its call was done before the point: neither is done again', async () => {
    const { run, box, paid } = paying('once', [CALL, { fails: 'ModelUnavailable' }, 'Paid.']);
    const parent = await run();
    await approve(box);
    expect(await parent.settled()).toMatchObject({ status: 'failed' });
    const child = await parent.fork({ effects: 'live', as: 'user:kim' });
    await child.retry({ reason: 'again', as: 'user:kim' });
    expect(await child.settled()).toMatchObject({ status: 'completed', output: 'Paid.' });
    expect(paid).toHaveLength(1);
  });

  it.each(['live', 'ask'] as const)('does not hold for a call that was begun by then either (%s)', async effects => {
    const begun: unknown[] = [];
    const { run, box } = paying('once', [CALL, 'Paid.', 'Paid.'], {
      tools: { pay: args => (begun.push(args) > 1 ? null : new Promise(() => {})) },
    });
    const parent = await run();
    await approve(box);
    const child = await parent.fork({ effects, as: 'user:kim' });
    await box.settle();
    if (effects === 'ask') {
      const doubt = (await box.inbox()).rows.find(({ runId }) => runId === child.id);
      expect(doubt).toMatchObject({ title: expect.stringContaining('Did "pay" happen?') });
      await box.answer(doubt!.requestId, { values: { outcome: 'repeat' }, as: 'user:kim' });
      await box.settle();
    }
    expect(begun).toHaveLength(1);
    await approve(box);
    expect(await child.settled()).toMatchObject({ status: 'completed' });
    expect(begun).toHaveLength(2);
  });
});

describe('an approval that was used', () => {
  it('lets nothing run behind a rollback to before its call: that is asked for anew', async () => {
    const { run, box, paid, at } = await approved('once');
    await run.rollback(at, { effects: 'live', reason: 'again', as: 'user:kim' });
    await box.settle();
    expect(paid).toHaveLength(1);
    await approve(box);
    expect(await run.settled()).toMatchObject({ status: 'completed' });
    expect(paid).toHaveLength(2);
    expect((await run.reExecute()).difference).toBeUndefined();
  });

  it('by a call that was under way when its attempt timed out lets it not be done again: that is asked for anew', async () => {
    const begun: unknown[] = [];
    const { box } = paying('repeat', [CALL, 'Paid.'], {
      tools: { pay: args => (begun.push(args) > 1 ? null : new Promise(() => {})) },
      agent: { timeout: '10s', retry: { attempts: 2, backoff: '1s' } },
    });
    const run = await box.start('desk', {} as never);
    await box.settle();
    await approve(box);
    await box.advance('15s');
    expect(begun).toHaveLength(1);
    await approve(box);
    expect(await run.settled()).toMatchObject({ status: 'completed' });
    expect(begun).toHaveLength(2);
    expect((await run.reExecute()).difference).toBeUndefined();
  });

  it('is as it was then in a log that does not tell of what an approval is: it served the next attempt', async () => {
    const { box } = paying('repeat', [CALL, 'Paid.'], {
      tools: { pay: () => new Promise(() => {}) },
      agent: { timeout: '10s', retry: { attempts: 2, backoff: '1s' } },
    });
    const run = await box.start('desk', {} as never);
    await box.settle();
    await approve(box);
    await box.advance('10s');
    const untold: Commit[] = [];
    for await (const commit of readCommits(box.store, run.id))
      untold.push({
        ...commit,
        events: commit.events.map(({ data: { grants: _, ...data }, ...of }) => ({ ...of, data })),
      });
    const { at } = foldCommits(initialState(), untold).tokens.get('')!;
    expect(at.kind === 'node' && [...at.journal.keys()]).toContain('approve:pay#1');
  });
});
