import { describe, expect, it } from 'vitest';
import { calls, desk, toldLast, tool } from './testing/desk.ts';

const two = (first: string, second: string) => ({
  calls: [
    { tool: first, arguments: { n: 1 } },
    { tool: second, arguments: { n: 2 } },
  ],
});

describe('calls of one reply', () => {
  for (const parallel of [false, true])
    it(`keep a limit of one visit together, ${parallel ? 'side by side' : 'one after the other'}`, async () => {
      const seen: unknown[] = [];
      const { run, models } = desk({
        tools: { look: args => seen.push(args) && 'ok' },
        allowed: [tool('look', { limits: { perNode: 1 }, parallel })],
        says: [two('look', 'look'), 'Done.'],
      });
      await run();
      expect(seen).toEqual([{ n: 1 }]);
      expect(toldLast(models)).toMatchObject({ refused: { code: 'limitReached' } });
    });

  it('are held to the state that the calls before them have left', async () => {
    const seen: unknown[] = [];
    const { run, models } = desk({
      tools: { close: () => 'closed', offer: args => seen.push(args) && 'ok' },
      allowed: [tool('close', { writes: { step: 'output' } }), tool('offer', { when: "state.step != 'closed'" })],
      says: [two('close', 'offer'), 'Done.'],
    });
    await run({ state: { step: 'open' } });
    expect(seen).toEqual([]);
    expect(toldLast(models)).toMatchObject({ refused: { code: 'disabledInState' } });
  });

  it('keep a rule over history that only they together would break', async () => {
    const seen: unknown[] = [];
    const { run } = desk({
      tools: { look: args => seen.push(args) && 'ok' },
      allowed: [tool('look')],
      contract: { rules: [{ assert: 'tools.look.calls < 1', message: 'once only' }] },
      says: [two('look', 'look'), 'Done.'],
    });
    await run();
    expect(seen).toEqual([{ n: 1 }]);
  });

  for (const [what, more] of [
    ['a limit', { allowed: { limits: { perRun: 1 } } }],
    ['a budget', { contract: { budgets: { run: { toolCalls: 1 } } } }],
    ['money', { allowed: { cost: { money: '0.30 USD' } }, contract: { budgets: { run: { money: '0.50 USD' } } } }],
  ] as const)
    it(`side by side are not both asked about where ${what} leaves room for one`, async () => {
      const seen: unknown[] = [];
      const { allowed = {}, contract = {} } = more as { allowed?: object; contract?: object };
      const { run, models, box } = desk({
        tools: { look: args => seen.push(args) && 'ok' },
        allowed: [tool('look', { parallel: true, approval: true, ...allowed })],
        contract,
        says: [two('look', 'look'), 'Done.'],
      });
      const handle = await run();
      const { rows } = await box.inbox();
      expect(rows).toHaveLength(1);
      await box.answer(rows[0]!.requestId, { action: 'approve', as: 'user:finn' });
      expect(await handle.settled()).toMatchObject({ status: 'completed' });
      expect(seen).toEqual([{ n: 1 }]);
      expect(toldLast(models)).toMatchObject({ refused: { code: expect.stringMatching(/limitReached|overBudget/) } });
      expect((await handle.reExecute()).difference).toBeUndefined();
    });

  it('side by side are each asked about where there is room for all', async () => {
    const { run, box } = desk({
      tools: { look: () => 'ok' },
      allowed: [tool('look', { parallel: true, approval: true, limits: { perNode: 2 } })],
      contract: { budgets: { run: { toolCalls: 2 } } },
      says: [two('look', 'look'), 'Done.'],
    });
    const handle = await run();
    const { rows } = await box.inbox();
    expect(rows).toHaveLength(2);
    for (const { requestId } of rows) await box.answer(requestId, { action: 'approve', as: 'user:finn' });
    expect(await handle.settled()).toMatchObject({ status: 'completed' });
  });
});

describe('a call that a person declines', () => {
  it('is counted for no limit, neither in its visit nor after it', async () => {
    const { run, box, models } = desk({
      tools: { look: () => 'ok' },
      allowed: [tool('look', { approval: 'args.n == 1', limits: { perRun: 1 } })],
      says: [calls('look', { n: 1 }), calls('look', { n: 2 }), 'Done.'],
    });
    const handle = await run();
    await box.answer((await box.inbox()).rows[0]!.requestId, { action: 'reject', as: 'user:finn' });
    expect(await handle.settled()).toMatchObject({ status: 'completed' });
    expect(toldLast(models)).toBe('ok');
    const { run: folded } = await box.engine.load(handle.id);
    expect(folded.tools?.get('look')).toMatchObject({ calls: 1, refused: 0 });
  });

  it('is not among those that the gate refused', async () => {
    const { run, box, models } = desk({
      tools: { look: () => 'ok', other: () => 'seen' },
      allowed: [tool('look', { approval: true }), tool('other', { when: 'tools.look.refused == 0' })],
      says: [calls('look'), calls('other'), 'Done.'],
    });
    const handle = await run();
    await box.answer((await box.inbox()).rows[0]!.requestId, { action: 'reject', as: 'user:finn' });
    await handle.settled();
    expect(toldLast(models)).toBe('seen');
  });
});

describe('a refusal', () => {
  const INPUT = { type: 'object', required: ['n'], properties: { n: { type: 'integer', maximum: 9 } } };
  it.each<[string, string, object | string, object, boolean]>([
    ['that cannot be read', 'look', '{"n":', {}, true],
    ['that does not fit', 'look', { n: 'x' }, {}, true],
    [
      'that breaks a rule about arguments',
      'look',
      { n: 7 },
      { rules: [{ assert: 'args.n < 5', message: 'less' }] },
      true,
    ],
    [
      'of a tool that a rule forbids',
      'look',
      { n: 7 },
      { rules: [{ assert: "tool != 'look'", message: 'no' }] },
      false,
    ],
    ['of a tool that there is not', 'lok', { n: 7 }, {}, false],
  ])(
    'tells the model whether it may call the tool again: of a call %s',
    async (_what, name, args, contract, expected) => {
      const { run, models } = desk({
        tools: { look: () => 'ok' },
        allowed: [tool('look', { input_schema: INPUT })],
        contract,
        says: [calls(name, args), 'Done.'],
      });
      await run();
      expect(toldLast(models)).toMatchObject({ refused: { retryable: expected } });
    },
  );
});
