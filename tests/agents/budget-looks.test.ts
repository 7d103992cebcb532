import type { GateStage } from '@signalbox/kernel';
import type { EventStore, ModelPort } from '@signalbox/ports';
import { createMemoryStore } from '@signalbox/store-memory';
import { createSimulatedClock, type ScriptedModel, scriptedModel } from '@signalbox/testkit';
import { type ContractChoice, createSignalbox, defineGraph, type RunHandle } from 'signalbox';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { calls, type DeskOptions, desk, eventsOf, toldLast, tool } from './testing/desk.ts';

const PAY = tool('pay', { effect: 'once', approval: true });
const twice = { calls: [1, 2].map(n => ({ tool: 'pay', arguments: { n } })) };

/** A desk whose tool counts what was paid. */
function paying(options: Omit<DeskOptions, 'tools' | 'allowed'>, allowed: readonly object[] = [PAY]) {
  const paid: unknown[] = [];
  return { ...desk({ tools: { pay: args => paid.push(args), look: () => 1 }, allowed, ...options }), paid };
}

async function sameAgain(run: Pick<RunHandle<unknown>, 'reExecute'>): Promise<void> {
  const again = await run.reExecute();
  expect(again.difference).toBeUndefined();
  expect(again.same).toBe(true);
}

describe('a call that cannot fit its budget', () => {
  it.each([
    ['of the contract', 'agent:desk', { contract: { budgets: { run: { tool_calls: 1 } } } }],
    ['of the run', 'run', { limits: { budget: { toolCalls: 1 } } }],
    ['of the node', 'node:/work', { agent: { limits: { budget: { toolCalls: 1 } } } }],
  ])(
    '%s is refused before anybody is asked to approve it, and the record says by which bound',
    async (_, account, more) => {
      const { run, box, models, paid } = paying(
        { says: [calls('look'), calls('pay', { cents: 5 }), 'Well.'], ...more },
        [tool('look'), PAY],
      );
      const handle = await run();
      expect(await handle.view()).toMatchObject({ status: 'completed', output: 'Well.' });
      expect(await eventsOf(box, handle.id, 'request.opened')).toEqual([]);
      expect(paid).toEqual([]);
      expect(toldLast(models)).toMatchObject({ refused: { code: 'overBudget', allowed: ['look'] } });
      const judged = await eventsOf(box, handle.id, 'tool.judged');
      expect(stageOf(judged[0]!)).toEqual({
        stage: 'budget',
        outcome: 'passed',
        asked: { toolCalls: 1 },
        left: [{ account, left: { toolCalls: 1 } }],
      });
      expect(stageOf(judged[1]!)).toMatchObject({
        outcome: 'refused',
        code: 'overBudget',
        reason: expect.stringContaining(`0 are left of ${account}`),
        left: [{ account, left: { toolCalls: 0 } }],
      });
      const chosen = (await eventsOf(box, handle.id, 'decision.made')).filter(({ point }) => point === 'tool');
      expect(chosen[1]).toMatchObject({ chosen: ['pay'], rejected: [{ option: 'pay', code: 'overBudget' }] });
      await sameAgain(handle);
    },
  );

  it('shared by runs is refused by what they have come to together', async () => {
    const { box, models } = paying({
      contract: { budgets: { tenant_per_day: { tool_calls: 1 } } },
      says: [calls('pay'), 'Paid.', calls('pay'), 'Not paid.'],
    });
    const one = await box.start('desk', {} as never);
    await one.settled();
    await box.answer((await box.inbox()).rows[0]!.requestId, { action: 'approve', as: 'user:finn' });
    await one.settled();
    const two = await box.start('desk', {} as never);
    expect(await two.settled()).toMatchObject({ status: 'completed', output: 'Not paid.' });
    expect(toldLast(models)).toMatchObject({ refused: { code: 'overBudget' } });
    await sameAgain(two);
    await sameAgain(one);
  });

  it('by the limit of its tool in the session is refused before anybody is asked', async () => {
    const once = tool('pay', { effect: 'once', approval: true, limits: { per_session: 1 } });
    const { box, models } = paying({ says: [calls('pay'), 'Paid.', calls('pay'), 'Not paid.'] }, [once]);
    const one = await box.start('desk', {} as never, { session: 'ses_1' });
    await one.settled();
    await box.answer((await box.inbox()).rows[0]!.requestId, { action: 'approve', as: 'user:finn' });
    await one.settled();
    const two = await box.start('desk', {} as never, { session: 'ses_1' });
    expect(await two.settled()).toMatchObject({ status: 'completed', output: 'Not paid.' });
    expect(toldLast(models)).toMatchObject({ refused: { code: 'limitReached' } });
    await sameAgain(two);
  });

  it('any more, since another of the same reply was done, is not asked about either', async () => {
    const { run, box, models, paid } = paying({
      contract: { budgets: { run: { tool_calls: 1 } } },
      says: [twice as never, 'Well.'],
    });
    const handle = await run();
    const [first] = (await box.inbox()).rows;
    await box.answer(first!.requestId, { action: 'approve', as: 'user:finn' });
    expect(await handle.settled()).toMatchObject({ status: 'completed', output: 'Well.' });
    expect(paid).toEqual([{ n: 1 }]);
    expect(await eventsOf(box, handle.id, 'request.opened')).toHaveLength(1);
    expect(toldLast(models)).toMatchObject({ refused: { code: 'overBudget' } });
    await sameAgain(handle);
  });
});

describe('a budget that asks', () => {
  const options = {
    contract: { budgets: { run: { tool_calls: 1 }, on_reached: 'ask' } },
    says: [calls('look'), calls('pay', { cents: 5 }), 'Done.'],
  };
  const allowed = [tool('look'), PAY];

  async function asked() {
    const made = paying(options, allowed);
    const handle = await made.run();
    const next = async () => {
      await handle.settled();
      const { rows } = await made.box.inbox();
      expect(rows).toHaveLength(1);
      return rows[0]!;
    };
    return { ...made, handle, next };
  }

  it('is asked about first; who grants it is followed by who approves, and by nobody else', async () => {
    const { box, handle, paid, next } = await asked();
    const budget = await next();
    expect(budget.title).toContain('Budget toolCalls = 1 of agent:desk');
    expect(paid).toEqual([]);
    const judged = await eventsOf(box, handle.id, 'tool.judged');
    expect(judged[1]).toMatchObject({ verdict: 'approval', asksBudget: true });
    expect(stageOf(judged[1]!)).toMatchObject({ outcome: 'asks', code: 'overBudget' });
    const chosen = (await eventsOf(box, handle.id, 'decision.made')).filter(({ point }) => point === 'tool');
    expect(chosen[1]).toMatchObject({ rejected: [{ code: 'overBudget' }, { code: 'needsApproval' }] });
    await box.answer(budget.requestId, { action: 'approve', as: 'user:finn' });
    const approval = await next();
    expect(approval.title).toContain('"pay"');
    await box.answer(approval.requestId, { action: 'approve', as: 'user:kim' });
    expect(await handle.settled()).toMatchObject({ status: 'completed', output: 'Done.' });
    expect(paid).toEqual([{ cents: 5 }]);
    expect(await eventsOf(box, handle.id, 'request.opened')).toHaveLength(2);
    await sameAgain(handle);
  });

  it('and is not granted, refuses the call without a question to approve it', async () => {
    const { box, handle, paid, models, next } = await asked();
    await box.answer((await next()).requestId, { action: 'reject', as: 'user:finn' });
    expect(await handle.settled()).toMatchObject({ status: 'completed', output: 'Done.' });
    expect(paid).toEqual([]);
    expect(toldLast(models)).toMatchObject({ refused: { code: 'overBudget' } });
    expect(await eventsOf(box, handle.id, 'request.opened')).toHaveLength(1);
    await sameAgain(handle);
  });

  it('waits through the end of its process', async () => {
    const { box, handle, next } = await asked();
    await next();
    const again = await box.restart();
    const run = again.get(handle.id);
    for (const by of ['user:finn', 'user:kim']) {
      await run.settled();
      await again.answer((await again.inbox()).rows[0]!.requestId, { action: 'approve', as: by });
    }
    expect(await run.settled()).toMatchObject({ status: 'completed', output: 'Done.' });
    await sameAgain(run);
  });
});

describe('two agents side by side that share a budget', () => {
  const contract = {
    version: '1.0',
    agent_name: 'desk',
    allowed_tools: [tool('look', { parallel: true }), PAY],
  } as ContractChoice;

  /** `look` takes as many rounds of the event loop as it is told to. */
  function pairGraph(paid: unknown[]) {
    const pair = defineGraph({ name: 'pair', input: z.object({}), limits: { budget: { toolCalls: 7 } } });
    const look = async ({ rounds }: Readonly<Record<string, unknown>>) => {
      for (let round = 0; round < Number(rounds); round += 1) await new Promise(setImmediate);
      return rounds;
    };
    const pay = (args: unknown) => paid.push(args);
    const agent = (model: string) => pair.agent({ model, contract, tools: { look, pay }, prompt: () => 'Go.' });
    /** Some commit of its own is always under way. */
    const busy = pair.step(async ctx => {
      for (let round = 0; round < 20; round += 1) await ctx.run('count', () => round);
    });
    return pair.build({
      entry: 'fork',
      nodes: { fork: pair.step(() => null), a: agent('test/a'), b: agent('test/b'), busy, all: pair.join('all') },
      routes: {
        fork: [{ to: ['a', 'b', 'busy'] }],
        a: [{ to: 'all' }],
        b: [{ to: 'all' }],
        busy: [{ to: 'all' }],
      },
    });
  }

  const looks = (...rounds: number[]) => ({ calls: rounds.map(n => ({ tool: 'look', arguments: { rounds: n } })) });

  /** Writes slowly: what one branch has reported meanwhile does not count yet when the other is judged. */
  function slowStore(): EventStore {
    const store = createMemoryStore();
    return new Proxy(store, {
      get(target, name) {
        const part: unknown = Reflect.get(target, name);
        if (typeof part !== 'function') return part;
        if (name !== 'commit') return part.bind(target);
        return async (...args: Parameters<EventStore['commit']>) => {
          for (let round = 0; round < 6; round += 1) await new Promise(setImmediate);
          return await target.commit(...args);
        };
      },
    });
  }

  it.each([
    [3, [7, 7, 7, 7]],
    [12, [7, 7, 5, 5]],
  ])(
    'are judged by what is known of both, and come out so when they are executed once more (%s)',
    async (lag, known) => {
      const paid: unknown[] = [];
      const script = (by: string) => scriptedModel([looks(1, 4), looks(4), calls('pay', { by }), 'Done.']);
      const scripts: Readonly<Record<string, ScriptedModel>> = { 'test/a': script('a'), 'test/b': script('b') };
      const models: ModelPort = {
        call: async (request, options) => {
          if (request.model === 'test/b') for (let round = 0; round < lag; round += 1) await new Promise(setImmediate);
          return await scripts[request.model]!.call(request, options);
        },
      };
      const box = createSignalbox({
        graphs: [pairGraph(paid)],
        models,
        store: slowStore(),
        clock: createSimulatedClock(),
      });
      const run = await box.start('pair', {} as never);
      await run.settled();
      const { rows } = await box.inbox();
      expect(rows).toHaveLength(2);
      for (const index of [0, 1]) {
        await box.answer(rows[index]!.requestId, { action: 'approve', as: 'user:finn' });
        await run.settled();
      }
      expect(await run.view()).toMatchObject({ status: 'completed' });
      expect(paid).toHaveLength(1);
      const judged = await eventsOf(box, run.id, 'tool.judged');
      const left = judged.map(event => stageOf(event)?.left?.[0]?.left.toolCalls);
      expect(left.slice(0, 4)).toEqual(known);
      expect(left.at(-1)).toBe(0);
      expect(judged.filter(({ verdict }) => verdict === 'refused')).toMatchObject([
        { tool: 'pay', refusal: { code: 'overBudget' } },
      ]);
      await sameAgain(run);
      await box.close();
    },
  );
});

function stageOf(judged: Record<string, unknown>): GateStage | undefined {
  return (judged.stages as readonly GateStage[]).find(({ stage }) => stage === 'budget');
}
