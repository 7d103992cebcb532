import type { ModelPort } from '@signalbox/ports';
import { createWorld, scriptedModel, Testbox, testbox } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { calls, desk, deskGraph, eventsOf, tool } from './testing/desk.ts';

const used = (tokens: number) => ({ usage: { input: tokens, output: 0 } });

/**
 * A run of at most ten minutes of executing, left for two hours in a call of its model that had taken one minute, with none but
 * a process without the code. `clean`: its process stopped in good order.
 */
async function leftAlone(clean: boolean) {
  const replies = scriptedModel(['Fine.']);
  let isAsked = false;
  const models: ModelPort = {
    call: (request, options) => {
      if (isAsked) return replies.call(request, options);
      isAsked = true;
      return new Promise(() => {});
    },
  };
  const graph = deskGraph({ limits: { timeout: '10m', budget: { time: '10m' } } });
  const box = testbox({ graphs: [graph], models });
  const { id } = await box.start('desk', {} as never);
  await box.advance('1m');
  const without = await box.restart({ clean, graphs: [] });
  await without.advance('2h');
  return { graph, id, without };
}

describe('the budget of a contract', () => {
  it('ends the agent before the call that would pass it, and says what was used', async () => {
    const { run, models } = desk({
      tools: { look: ({ n }) => n },
      allowed: [tool('look')],
      contract: { budgets: { run: { model_calls: 2 } } },
      says: [calls('look', { n: 1 }), calls('look', { n: 2 }), 'never'],
    });
    const view = await (await run()).view();
    expect(view).toMatchObject({
      status: 'failed',
      error: { code: 'BudgetExceeded', details: { account: 'agent:desk', limit: 'modelCalls', allowed: 2, used: 2 } },
    });
    expect(models.requests).toHaveLength(2);
  });

  it('counts what the model said it used, and reserves no more than the longest reply it asks for', async () => {
    const { run, box } = desk({
      contract: { budgets: { run: { tokens: 5_000 } } },
      says: [{ text: 'Fine.', ...used(900) } as never],
      agent: { maxOutputTokens: 100 },
    });
    const handle = await run();
    expect(await handle.view()).toMatchObject({ status: 'completed' });
    const [intended] = (await eventsOf(box, handle.id, 'op.intended')).filter(({ kind }) => kind === 'model');
    const reserved = (intended!.reserve as { amounts: { tokens: number } }).amounts.tokens;
    expect(reserved).toBeGreaterThan(100);
    expect(reserved).toBeLessThan(400);
    expect(await eventsOf(box, handle.id, 'budget.spent')).toMatchObject([{ amounts: { tokens: 900, modelCalls: 1 } }]);
  });

  it('counts what a call reserved where nobody can tell what it came to, and nothing where it was turned away', async () => {
    const spent = async (fails: string) => {
      const { run, box } = desk({
        contract: { budgets: { run: { tokens: 50_000 } } },
        says: [{ fails } as never],
        agent: { maxOutputTokens: 1_000 },
      });
      const handle = await run();
      expect(await handle.view()).toMatchObject({ status: 'failed', error: { code: fails } });
      const [settled] = await eventsOf(box, handle.id, 'budget.spent');
      return (settled!.amounts as { tokens?: number }).tokens ?? 0;
    };
    expect(await spent('ModelTimeout')).toBeGreaterThan(1_000);
    expect(await spent('ModelReplyInvalid')).toBeGreaterThan(1_000);
    expect(await spent('ModelRateLimited')).toBe(0);
    expect(await spent('ModelRefusedRequest')).toBe(0);
  });

  it('counts a call that was under way when its attempt timed out, and the call of the next attempt', async () => {
    let asked = 0;
    const replies = scriptedModel([{ text: 'Fine.', ...used(40) } as never]);
    const models: ModelPort = {
      call: (request, options) => {
        asked += 1;
        return asked === 1 ? new Promise(() => {}) : replies.call(request, options);
      },
    };
    const graph = deskGraph({ agent: { timeout: '1m', retry: { attempts: 2, backoff: '1s' } } });
    const box = testbox({ graphs: [graph], models });
    const handle = await box.start('desk', {} as never);
    await box.advance('2m');
    expect(await handle.settled()).toMatchObject({ status: 'completed', output: 'Fine.' });
    expect(await eventsOf(box, handle.id, 'budget.spent')).toMatchObject([
      { possibly: true, amounts: { modelCalls: 1, time: 60_000 } },
      { amounts: { modelCalls: 1, tokens: 40 } },
    ]);
    const again = await handle.reExecute();
    expect(again.difference).toBeUndefined();
  });

  it.each([false, true])(
    'of time counts no downtime, and neither does the timeout (stopped in good order: %s)',
    async clean => {
      const { graph, id, without } = await leftAlone(clean);
      const again = await without.restart({ graphs: [graph] });
      await again.advance('9m');
      const run = again.get(id);
      expect(await run.settled()).toMatchObject({ status: 'completed', output: 'Fine.' });
      expect((await run.reExecute()).difference).toBeUndefined();
    },
  );

  it.each([
    { clean: false, act: 'paused' },
    { clean: true, act: 'paused' },
    { clean: false, act: 'noted' },
    { clean: true, act: 'noted' },
  ])(
    'of time counts no downtime of a run that is $act before its next driver comes (stopped in good order: $clean)',
    async ({ clean, act }) => {
      const { graph, id, without } = await leftAlone(clean);
      if (act === 'paused') await without.get(id).pause({ as: 'user:finn' });
      else await without.get(id).note('Is anybody there?', { as: 'user:finn' });
      await without.advance('2h');
      const again = await without.restart({ graphs: [graph] });
      const run = again.get(id);
      if (act === 'paused') await run.resume({ as: 'user:finn' });
      await again.advance('8m');
      expect(await run.settled()).toMatchObject({ status: 'completed', output: 'Fine.' });
      expect(await eventsOf(again, id, 'budget.spent')).toMatchObject([
        { possibly: true, amounts: { time: clean ? 60_000 : 0 } },
        { amounts: { modelCalls: 1 } },
      ]);
      expect((await run.reExecute()).difference).toBeUndefined();
    },
  );

  it('of time counts the time that a call took and not that of the person who says how it ended', async () => {
    const { box } = desk({
      tools: { pay: () => new Promise(() => {}) },
      allowed: [tool('pay', { effect: 'once', timeout: '1m' })],
      says: [calls('pay'), 'Paid.'],
      limits: { timeout: '10m', budget: { time: '10m' } },
      agent: { timeout: '5m' },
    });
    const run = await box.start('desk', {} as never);
    await box.advance('1d');
    const [request] = (await box.inbox()).rows;
    await box.answer(request!.requestId, { values: { outcome: 'done' }, as: 'user:finn' });
    await box.advance('3m');
    expect(await run.settled()).toMatchObject({ status: 'completed', output: 'Paid.' });
    const spent = await eventsOf(box, run.id, 'budget.spent');
    expect(spent).toContainEqual(expect.objectContaining({ possibly: true, amounts: { toolCalls: 1, time: 60_000 } }));
    expect((await run.reExecute()).difference).toBeUndefined();
  });

  it('puts a question where it says so, and goes on with the same allowance again', async () => {
    const { run, box } = desk({
      tools: { look: ({ n }) => n },
      allowed: [tool('look')],
      contract: { budgets: { run: { model_calls: 1 }, on_reached: 'ask' } },
      says: [calls('look', { n: 1 }), 'Done.'],
    });
    const handle = await run();
    const [request] = (await box.inbox()).rows;
    expect(request).toMatchObject({ title: expect.stringContaining('modelCalls') });
    await box.answer(request!.requestId, { action: 'approve', as: 'user:finn' });
    expect(await handle.settled()).toMatchObject({ status: 'completed', output: 'Done.' });
  });

  it('goes on with the cheaper model where it says so, once, and stops at twice the amount', async () => {
    const { run, models, box } = desk({
      tools: { look: ({ n }) => n },
      allowed: [tool('look')],
      contract: { budgets: { run: { model_calls: 1 }, on_reached: 'degrade' } },
      says: [calls('look', { n: 1 }), calls('look', { n: 2 }), 'never'],
      agent: { cheaperModel: 'test/small' },
    });
    const handle = await run();
    expect(models.requests.map(({ model }) => model)).toEqual(['test/one', 'test/small']);
    expect(await handle.view()).toMatchObject({ status: 'failed', error: { code: 'BudgetExceeded' } });
    expect(await eventsOf(box, handle.id, 'decision.made')).toContainEqual(
      expect.objectContaining({ point: 'model', chosen: 'test/small', decidedBy: 'rule:budget' }),
    );
  });

  it('of a session counts over its runs', async () => {
    const { box } = desk({
      contract: { budgets: { session: { model_calls: 2 } } },
      says: ['One.', 'Two.', 'Three.'],
    });
    const start = async () => {
      const run = await box.start('desk', {} as never, { session: 'ses_1' });
      return await run.settled();
    };
    expect(await start()).toMatchObject({ status: 'completed' });
    expect(await start()).toMatchObject({ status: 'completed' });
    expect(await start()).toMatchObject({
      status: 'failed',
      error: { code: 'BudgetExceeded', details: { account: 'session:ses_1' } },
    });
  });

  it('of a tenant counts over its runs of a day, and begins anew on the next', async () => {
    const { box } = desk({
      contract: { budgets: { tenant_per_day: { model_calls: 1 } } },
      says: ['One.', 'Two.'],
    });
    const start = async () => (await box.start('desk', {} as never)).settled();
    expect(await start()).toMatchObject({ status: 'completed' });
    expect(await start()).toMatchObject({ status: 'failed', error: { code: 'BudgetExceeded' } });
    await box.advance('1d');
    expect(await start()).toMatchObject({ status: 'completed' });
  });
});

describe('a budget that runs share', () => {
  const contract = { budgets: { tenant_per_day: { model_calls: 2 } } };

  it('holds for runs that ask for the last of it at the same moment', async () => {
    const { box, models } = desk({ contract, says: ['One.', 'Two.', 'Three.', 'Four.', 'Five.'] });
    const runs = await Promise.all(Array.from({ length: 5 }, () => box.start('desk', {} as never)));
    const views = await Promise.all(runs.map(run => run.settled()));
    expect(views.map(({ status }) => status).sort()).toEqual(['completed', 'completed', 'failed', 'failed', 'failed']);
    expect(views.filter(({ status }) => status === 'failed')).toMatchObject(
      Array.from({ length: 3 }, () => ({ error: { code: 'BudgetExceeded', details: { allowed: 2, used: 2 } } })),
    );
    expect(models.requests).toHaveLength(2);
  });

  it.each([false, true])('holds for runs of sessions in two processes (chained: %s)', async chain => {
    const world = createWorld({ chain });
    const models = scriptedModel(['One.', 'Two.', 'Three.', 'Four.']);
    const graphs = [deskGraph({ contract: { budgets: { tenant_per_day: { model_calls: 2 } } } })];
    const boxes = [new Testbox({ graphs, models }, world), new Testbox({ graphs, models }, world)];
    const runs = await Promise.all(
      [0, 1, 2, 3].map(index => boxes[index % 2]!.start('desk', {} as never, { session: `ses_${index}` })),
    );
    const views = await Promise.all(runs.map(run => run.settled()));
    expect(views.map(({ status }) => status).sort()).toEqual(['completed', 'completed', 'failed', 'failed']);
    expect(models.requests).toHaveLength(2);
    expect(boxes.flatMap(({ errors }) => errors)).toEqual([]);
  });

  it('that asks lets a run go on over the bound by what was granted, and no further', async () => {
    const { box, models } = desk({
      contract: { budgets: { tenant_per_day: { model_calls: 1 }, on_reached: 'ask' } },
      says: ['One.', 'Two.', 'Three.'],
    });
    const runs = await Promise.all([0, 1, 2].map(() => box.start('desk', {} as never)));
    await box.settle();
    const { rows } = await box.inbox();
    expect(rows).toHaveLength(2);
    await box.answer(rows[0]!.requestId, { action: 'approve', as: 'user:finn' });
    await box.answer(rows[1]!.requestId, { action: 'approve', as: 'user:finn' });
    await box.settle();
    expect(models.requests).toHaveLength(2);
    const statuses = await Promise.all(runs.map(async run => (await run.view()).status));
    expect(statuses.sort()).toEqual(['completed', 'completed', 'suspended']);
  });

  it('holds for calls side by side in one reply', async () => {
    const looked: unknown[] = [];
    const three = { calls: [1, 2, 3].map(n => ({ tool: 'look', arguments: { n } })) };
    const { run, models } = desk({
      tools: { look: ({ n }) => looked.push(n) },
      allowed: [tool('look', { parallel: true })],
      contract: { budgets: { tenant_per_day: { tool_calls: 2 } } },
      says: [three as never, 'Enough.'],
    });
    expect(await (await run()).view()).toMatchObject({ status: 'completed', output: 'Enough.' });
    expect(looked).toHaveLength(2);
    expect(models.requests[1]!.messages.at(-1)).toMatchObject({ result: { refused: { code: 'overBudget' } } });
  });
});

describe('an error that calls itself `BudgetExceeded`', () => {
  class Own extends Error {
    readonly code = 'BudgetExceeded';
  }

  it('of a tool is told to the agent as its failure: no budget has refused the call', async () => {
    const look = () => {
      throw new Own('The department has spent its money.');
    };
    const { run, models } = desk({ tools: { look }, allowed: [tool('look')], says: [calls('look'), 'Well.'] });
    const handle = await run();
    expect(models.requests[1]!.messages.at(-1)).toMatchObject({
      result: { failed: { code: 'BudgetExceeded', message: 'The department has spent its money.' } },
    });
    expect((await handle.reExecute()).difference).toBeUndefined();
  });

  it('of a model lets no cheaper one go on', async () => {
    const asked: string[] = [];
    const models: ModelPort = {
      call: async ({ model }) => {
        asked.push(model);
        throw new Own('No credit.');
      },
    };
    const contract = { budgets: { run: { model_calls: 9 }, on_reached: 'degrade' } };
    const box = testbox({ graphs: [deskGraph({ contract, agent: { cheaperModel: 'test/small' } })], models });
    const view = await (await box.start('desk', {} as never)).settled();
    expect(view).toMatchObject({ status: 'failed', error: { code: 'BudgetExceeded', message: 'No credit.' } });
    expect(asked).toEqual(['test/one']);
  });
});

describe('the limit of a tool', () => {
  it('holds for the run, and is a refusal that the agent can act on', async () => {
    const { run, models } = desk({
      tools: { look: ({ n }) => n },
      allowed: [tool('look', { limits: { per_run: 1 } })],
      says: [calls('look', { n: 1 }), calls('look', { n: 2 }), 'Enough.'],
    });
    expect(await (await run()).view()).toMatchObject({ status: 'completed', output: 'Enough.' });
    expect(models.requests[2]!.messages.at(-1)).toMatchObject({ result: { refused: { code: 'limitReached' } } });
  });

  it.each([
    ['a run', { per_run: 1 }, {}],
    ['a visit of a node', { per_node: 1 }, {}],
    ['a session', { per_session: 1 }, { session: 'ses_1' }],
    ['a run without a session, which is a session of its own', { per_session: 1 }, {}],
    ['whichever of them is less', { per_run: 2, per_node: 3, per_session: 1 }, {}],
  ])('holds within one reply that calls the tool twice: %s', async (_, limits, options) => {
    let done = 0;
    const { box, models } = desk({
      tools: { look: () => ++done },
      allowed: [tool('look', { limits })],
      says: [{ calls: [1, 2].map(n => ({ tool: 'look', arguments: { n } })) }, 'Enough.'],
    });
    const run = await box.start('desk', {} as never, options);
    expect(await run.settled()).toMatchObject({ status: 'completed', output: 'Enough.' });
    expect(done).toBe(1);
    expect(models.requests[1]!.messages.at(-1)).toMatchObject({ result: { refused: { code: 'limitReached' } } });
    expect((await run.reExecute()).difference).toBeUndefined();
  });

  it('counts calls of a visit of a node for that visit alone', async () => {
    let done = 0;
    const { box } = desk({
      tools: { look: () => ++done },
      allowed: [tool('look', { limits: { per_node: 1 } })],
      says: [calls('look'), 'One.', calls('look'), 'Two.'],
    });
    const run = await box.start('desk', {} as never);
    await run.settled();
    await run.reopen({ reason: 'once more' });
    await run.jump('work', { reason: 'once more' });
    await run.resume();
    await run.settled();
    expect(done).toBe(2);
  });

  it('holds for all runs of a session, and not for another session', async () => {
    const { box, models } = desk({
      tools: { look: () => 1 },
      allowed: [tool('look', { limits: { per_session: 1 } })],
      says: [calls('look'), 'One.', calls('look'), 'Two.', calls('look'), 'Three.'],
    });
    const told = async (session: string) => {
      await (await box.start('desk', {} as never, { session })).settled();
      return models.requests.at(-1)!.messages.at(-1);
    };
    expect(await told('ses_1')).not.toHaveProperty('failed');
    expect(await told('ses_1')).toMatchObject({ result: { refused: { code: 'limitReached' } } });
    expect(await told('ses_2')).not.toHaveProperty('failed');
  });
});
