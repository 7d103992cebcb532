import type { JsonValue } from '@signalbox/kernel';
import { type Testbox, testbox } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { type Ctx, codeGraph } from '../journal/testing/code-graph.ts';

let isUp = true;
let isSilent = false;
let isSecret = false;
let rate = 1;

function graph(more: object = { timeout: '5s' }) {
  return codeGraph(
    {
      rate: async ({ input, abort, update }: Ctx) => {
        if (isSilent)
          await new Promise((_, reject) => abort.addEventListener('abort', () => reject(new Error('late'))));
        if (!isUp) throw new Error('the bank is closed');
        if (isSecret) update({ account: 'DE02 1203 0000' });
        return { of: input, rate };
      },
    },
    {
      state: { account: { schema: { type: 'string', sensitive: true } } },
      nodes: { rate: { ...more, fallback: { lastGood: { maxAge: '1h' } } } },
    },
  );
}

function open(): Testbox {
  [isUp, isSilent, isSecret, rate] = [true, false, false, 1];
  return testbox({ chain: true, graphs: [graph() as never] });
}

async function ended(box: Testbox, input: JsonValue) {
  const run = await box.start<unknown, unknown>('coded', input);
  await box.settle();
  return { run, view: await run.settled() };
}

const GIVEN = { of: 'EUR', rate: 1 };

describe('the last good output of a node stands in for it', () => {
  it('from another run that had the same input, marked degraded, also after a restart', async () => {
    const first = open();
    await ended(first, 'EUR');
    rate = 2;
    await ended(first, 'USD');
    isUp = false;
    const box = await first.restart();
    const { run, view } = await ended(box, 'EUR');
    expect(view).toMatchObject({ status: 'completed', output: GIVEN });
    expect(await run.node('rate')).toMatchObject({ degraded: true, error: { message: 'the bank is closed' } });
    expect(await run.reExecute()).toMatchObject({ same: true });
  });

  it('and is the latest, whichever run gave it; one that stood in itself is none', async () => {
    const box = open();
    await ended(box, 'EUR');
    await box.advance('50m');
    isUp = false;
    expect((await ended(box, 'EUR')).view).toMatchObject({ output: GIVEN });
    await box.advance('20m');
    expect((await ended(box, 'EUR')).view).toMatchObject({ status: 'failed' });
    [isUp, rate] = [true, 3];
    await ended(box, 'EUR');
    isUp = false;
    expect((await ended(box, 'EUR')).view).toMatchObject({ output: { rate: 3 } });
  });

  it('not for another input, nor in another version of the graph', async () => {
    const box = open();
    await ended(box, 'EUR');
    isUp = false;
    expect((await ended(box, 'CHF')).view).toMatchObject({ status: 'failed' });
    const next = await box.restart({ graphs: [graph({ timeout: '6s' }) as never] });
    expect((await ended(next, 'EUR')).view).toMatchObject({ status: 'failed' });
  });

  it('nor from a run that holds sensitive values', async () => {
    const box = open();
    isSecret = true;
    expect((await ended(box, 'EUR')).view).toMatchObject({ status: 'completed' });
    isUp = false;
    expect((await ended(box, 'EUR')).view).toMatchObject({ status: 'failed' });
  });

  it('nor where it could see something else: another input of the run, another state, another session', async () => {
    const code = {
      first: ({ input, update }: Ctx) => {
        update({ whose: (input as { kept: string }).kept });
        return null;
      },
      rate: () => {
        if (!isUp) throw new Error('the bank is closed');
        return { rate };
      },
    };
    const row = codeGraph(code, {
      state: { whose: { schema: { type: 'string' } } },
      nodes: { rate: { fallback: { lastGood: { maxAge: '1h' } } } },
    });
    [isUp, rate] = [true, 1];
    const box = testbox({ graphs: [row as never] });
    const statusOf = async (input: JsonValue, options: object = {}) => {
      const run = await box.start<unknown, unknown>('coded', input, options);
      return (await run.settled()).status;
    };
    await statusOf({ kept: 'ann', id: 1 });
    isUp = false;
    expect(await statusOf({ kept: 'ann', id: 2 })).toBe('failed');
    expect(await statusOf({ kept: 'bob', id: 1 })).toBe('failed');
    expect(await statusOf({ kept: 'ann', id: 1 }, { session: 'ses_bob' })).toBe('failed');
    expect(await statusOf({ kept: 'ann', id: 1 })).toBe('completed');
  });

  it.each([
    [
      'asked',
      (ctx: Ctx) => ctx.ask('whose', { kind: 'form', title: 'Whose?', fields: [{ name: 'who', type: 'text' }] }),
    ],
    ['was sent', (ctx: Ctx) => ctx.signal('whose')],
    ['was sent first', (ctx: Ctx) => ctx.first({ whose: { signal: 'whose' } })],
  ])('nor what it made of what it %s meanwhile: that was said to the other run alone', async (_, waits) => {
    [isUp, rate] = [true, 1];
    const rateOf = async (ctx: Ctx) => {
      if (!isUp) throw new Error('the bank is closed');
      return { of: await waits(ctx) };
    };
    const asking = codeGraph({ rate: rateOf }, { nodes: { rate: { fallback: { lastGood: { maxAge: '1h' } } } } });
    const box = testbox({ graphs: [asking as never] });
    const { run, view } = await ended(box, 'EUR');
    if (view.status === 'suspended' && view.requests.length > 0)
      await box.answer(view.requests[0]!.id, { values: { who: 'ann' }, as: 'user:finn' });
    else await run.signal('whose', 'ann');
    expect(JSON.stringify(await run.settled())).toContain('ann');
    isUp = false;
    expect((await ended(box, 'EUR')).view).toMatchObject({ status: 'failed' });
  });

  it('when it takes too long, too', async () => {
    const box = open();
    await ended(box, 'EUR');
    isSilent = true;
    const run = await box.start<unknown, unknown>('coded', 'EUR');
    await box.advance('5s');
    expect(await run.settled()).toMatchObject({ status: 'completed', output: GIVEN });
    expect(await run.node('rate')).toMatchObject({ degraded: true, error: { code: 'Timeout' } });
    expect(await run.reExecute()).toMatchObject({ same: true });
  });
});
