import { expect, it } from 'vitest';
import { accountText, amountsText } from './budget-text.ts';
import { eventText } from './event-text.ts';

it('says what was spent in words with units, and nothing of what is nothing', () => {
  const money = { amount: '0.0042', currency: 'USD' };
  expect(amountsText({ modelCalls: 1, tokens: 120, money, time: 15 })).toBe(
    '1 call of a model, 120 tokens, 0.0042 USD, 15 ms',
  );
  expect(amountsText({ modelCalls: 0, tokens: 0 })).toBe('nothing');
});

it('names accounts as they are said', () => {
  expect(['run', 'node:/work', 'agent:refunds', 'session:ses_1'].map(accountText)).toEqual([
    ...['the run', 'the node work', 'the agent refunds', 'the session ses_1'],
  ]);
});

it('names the limit of a tool by the tool and where it holds', () => {
  expect(['tool:pay', 'session:ses_1:tool:pay', 'visit:work#2:tool:pay'].map(accountText)).toEqual([
    ...['the tool pay', 'the tool pay in the session ses_1', 'the tool pay in the visit work#2'],
  ]);
});

it('says of a call that needs an approval the same before and behind its answer', () => {
  expect(eventText({ type: 'tool.judged', data: { tool: 'pay', verdict: 'approval' } })).toBe(
    'pay may be called with an approval',
  );
});

it('says of a bound how much is allowed, used and wanted', () => {
  const data = { op: 'model#3', account: 'run', limit: 'tokens', allowed: 500, used: 490, wanted: 30 };
  expect(eventText({ type: 'budget.exceeded', data })).toBe(
    'model#3 would pass the budget of the run: at most 500 tokens; used or reserved 490 tokens, wanted 30 tokens more',
  );
});

it('says why a tool may not be called', () => {
  const refusal = { code: 'disabledInState', message: 'The tool `refund` cannot be called in this state.' };
  const data = { tool: 'refund', verdict: 'refused', refusal };
  expect(eventText({ type: 'tool.judged', data })).toBe(
    'refund may not be called: disabledInState: The tool `refund` cannot be called in this state.',
  );
});

it('says which tools can be called from now on, and which no more', () => {
  const text = (on: string[], off: string[]) => eventText({ type: 'tools.changed', data: { on, off } });
  expect(text(['find', 'refund'], [])).toBe('can be called now: find, refund');
  expect(text([], ['refund'])).toBe('no more: refund');
  expect(text(['find'], ['refund'])).toBe('can be called now: find; no more: refund');
});
