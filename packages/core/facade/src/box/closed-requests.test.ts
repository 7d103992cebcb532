import { testbox } from '@signalbox/testkit';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineGraph } from '../builder/define-graph.ts';

/** So many questions later a run knows no more of its first ones. */
const MANY = 110;
const FINN = 'user:finn';

async function longAgo() {
  const builder = defineGraph({ name: 'asks', input: z.object({}), limits: { maxChain: 200 } });
  const ask = builder.step(async ctx => {
    await ctx.ask('answered', { kind: 'confirmation', title: 'First?' });
    await ctx.ask('withdrawn', { kind: 'confirmation', title: 'Second?' });
    await ctx.ask('expired', { kind: 'confirmation', title: 'Third?', deadline: { after: '1h', onExpire: 'route' } });
    for (let n = 0; n < MANY; n += 1) await ctx.ask('more', { kind: 'confirmation', title: `More ${n}?` });
  });
  const graph = builder.build({ entry: 'ask', nodes: { ask }, routes: {} });
  const box = testbox({ graphs: [graph] });
  const run = await box.start(graph, {});
  const next = async () => (await run.settled()).requests[0]!.id;
  const answered = await next();
  await box.answer(answered, { action: 'approve', as: FINN });
  const withdrawn = await next();
  await box.withdraw(withdrawn, { as: FINN, reason: 'asked for twice' });
  const expired = await next();
  await box.advance('1h');
  for (let n = 0; n < MANY; n += 1) await box.answer(await next(), { action: 'approve', as: FINN });
  expect(await run.settled()).toMatchObject({ status: 'completed' });
  return { box, requests: { answered, withdrawn, expired } };
}

it('whoever acts on a question that was closed long ago is told what became of it', async () => {
  const { box, requests } = await longAgo();
  const codes = async (id: string) => {
    const acts = [
      box.answer(id, { action: 'approve', as: FINN }),
      box.claim(id, { as: FINN }),
      box.release(id, { as: FINN }),
      box.withdraw(id, { as: FINN }),
    ];
    return (await Promise.allSettled(acts)).map(act => (act.status === 'rejected' ? act.reason.code : 'done'));
  };
  const all = (code: string) => [code, code, code, code];
  expect(await codes(requests.answered)).toEqual(all('AlreadyAnswered'));
  expect(await codes(requests.expired)).toEqual(all('RequestExpired'));
  expect(await codes(requests.withdrawn)).toEqual(all('RequestClosed'));
  expect(await codes('req_none')).toEqual(all('UnknownRequest'));
});
