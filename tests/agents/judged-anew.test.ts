import type { ModelPort } from '@signalbox/ports';
import { scriptedModel, testbox } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { calls, desk, deskGraph, eventsOf, toldLast, tool } from './testing/desk.ts';

/** Its first attempt ends since the model cannot be reached; its second is told of another look, and pays 5. */
function attempts(...first: Parameters<typeof desk>[0]['says']) {
  const paid: unknown[] = [];
  let looks = 0;
  const made = desk({
    tools: {
      look: () => {
        looks += 1;
        if (looks === 1) throw new Error('not there');
        return 'all is well';
      },
      jam: () => {
        throw new Error('jammed');
      },
      pay: args => {
        paid.push(args.cents);
        return `paid ${args.cents}`;
      },
    },
    allowed: [tool('look'), tool('jam'), tool('pay', { effect: 'once' })],
    says: [calls('look'), ...first, { fails: 'ModelUnavailable' }, calls('pay', { cents: 5 }), 'Done.'],
    agent: { retry: { attempts: 2, backoff: '10ms' } },
  });
  return { ...made, paid };
}

describe('a further attempt of an agent', () => {
  it('judges what the model asks for now, and not what it asked for at that place before', async () => {
    const { paid, box, models } = attempts(calls('pay', { cents: 777 }));
    const handle = await box.start('desk', {});
    await box.settle();
    await box.advance('1s');
    expect(await handle.settled()).toMatchObject({ status: 'completed' });
    expect(paid).toEqual([777, 5]);
    expect(toldLast(models)).toBe('paid 5');
    expect((await eventsOf(box, handle.id, 'tool.judged')).map(({ args }) => args)).toEqual([
      {},
      { cents: 777 },
      { cents: 5 },
    ]);
    expect((await handle.reExecute()).difference).toBeUndefined();
  });

  it('does nothing that only the attempt before was asked for, and had not come to', async () => {
    const both: ReturnType<typeof calls> = {
      calls: [
        { tool: 'jam', arguments: {} },
        { tool: 'pay', arguments: { cents: 777 } },
      ],
    };
    const { paid, box, models } = attempts(both);
    const handle = await box.start('desk', {});
    await box.settle();
    await box.advance('1s');
    expect(await handle.settled()).toMatchObject({ status: 'completed' });
    expect(paid).toEqual([5]);
    expect(toldLast(models)).toBe('paid 5');
    expect((await handle.reExecute()).difference).toBeUndefined();
  });

  it('gives a call that the attempt before did not have a key of its own, which further attempts keep', async () => {
    const tried: [unknown, string][] = [];
    let looks = 0;
    const { box } = desk({
      tools: {
        look: () => {
          looks += 1;
          if (looks === 1) throw new Error('not there');
          return 'all is well';
        },
        pay: ({ cents }, { idempotencyKey }) => {
          tried.push([cents, idempotencyKey]);
          if (tried.length === 2) throw new Error('busy');
          return `paid ${cents}`;
        },
      },
      allowed: [tool('look'), tool('pay', { effect: 'once' })],
      says: [
        ...[calls('look'), calls('pay', { cents: 777 }), { fails: 'ModelUnavailable' as const }],
        ...[calls('pay', { cents: 5 }), { fails: 'ModelUnavailable' as const }],
        'Done.',
      ],
      agent: { retry: { attempts: 3, backoff: '10ms' } },
    });
    const handle = await box.start('desk', {});
    await box.settle();
    await box.advance('1s');
    expect(await handle.settled()).toMatchObject({ status: 'completed' });
    const [first, second, third] = tried.map(([, key]) => key);
    expect(tried.map(([cents]) => cents)).toEqual([777, 5, 5]);
    expect(second).not.toBe(first);
    expect(third).toBe(second);
    expect((await handle.reExecute()).difference).toBeUndefined();
  });

  it('tells the model what it has to say anew under a key of its own, and what it said under the same', async () => {
    const asked: [string, string | undefined][] = [];
    const script = scriptedModel([
      { fails: 'ModelUnavailable' },
      calls('look'),
      { fails: 'ModelUnavailable' },
      calls('look', { closer: true }),
      'Done.',
    ]);
    const models: ModelPort = {
      call: (request, options) => {
        asked.push([JSON.stringify(request), options?.idempotencyKey]);
        return script.call(request, options);
      },
    };
    let looks = 0;
    const look = () => {
      looks += 1;
      if (looks === 1) throw new Error('not there');
      return 'all is well';
    };
    const agent = { retry: { attempts: 3, backoff: '10ms' } };
    const box = testbox({ graphs: [deskGraph({ tools: { look }, allowed: [tool('look')], agent })], models });
    const handle = await box.start('desk', {});
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await box.settle();
      await box.advance('1s');
    }
    expect(await handle.settled()).toMatchObject({ status: 'completed', output: 'Done.' });
    const [requests, keys] = [asked.map(([request]) => request), asked.map(([, key]) => key)];
    expect(requests[1]).toBe(requests[0]);
    expect(keys[1]).toBe(keys[0]);
    expect(new Set(keys).size).toBe(new Set(requests).size);
    expect((await handle.reExecute()).difference).toBeUndefined();
  });
});
