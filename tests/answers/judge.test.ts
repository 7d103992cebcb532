import { describe, expect, it } from 'vitest';
import { judge, type Played } from './testing/judge.ts';
import type { Delivery, Message } from './testing/plan.ts';

const FINN: Message = { action: 'approve', values: { amount: 0 }, as: 'user:finn', key: 'key 0' };
const MIA: Message = { action: 'approve', values: { amount: 1 }, as: 'user:mia' };
const answered = { action: 'approve', values: { amount: 0 }, by: { kind: 'user', id: 'finn' }, key: 'key 0' };
const delivery = (message: number): Delivery => ({ message, process: 0, turns: 0 });
const told = (message: number, outcome: string, early = false) => ({ delivery: delivery(message), outcome, early });

/** Finn's answer comes twice and is taken once, Mia's is refused. */
const GOOD: Played = {
  scenario: {
    name: 'this one',
    asker: 'node',
    circumstance: 'open',
    starter: 0,
    messages: [FINN, MIA],
    before: [],
    after: [delivery(0), delivery(0), delivery(1)],
    overlaps: false,
  },
  request: 'req_1',
  outcomes: [told(0, 'accepted'), told(0, 'accepted'), told(1, 'AlreadyAnswered')],
  record: {
    status: 'completed',
    opened: ['req_1'],
    answered: [answered],
    expired: 0,
    withdrawn: 0,
    continued: 1,
    refused: 1,
  },
  paid: 1,
};

const outcomes = (...list: Played['outcomes']): Partial<Played> => ({ outcomes: list });
const record = (change: Partial<Played['record']>): Partial<Played> => ({ record: { ...GOOD.record, ...change } });

describe('the judge of answers', () => {
  it('finds nothing where an answer was taken once', () => {
    expect(judge(GOOD)).toEqual([]);
  });

  it.each<readonly [what: string, change: Partial<Played>, seen: string]>([
    [
      'an accepted answer that is not in the log',
      record({ answered: [], status: 'suspended' }),
      'an accepted answer is lost',
    ],
    ['another in the log than was accepted', record({ answered: [{ ...answered, values: {} }] }), 'another answer'],
    ['two answers in the log', record({ answered: [answered, answered] }), '2 answers in the log'],
    ['two answers told to be accepted', outcomes(told(0, 'accepted'), told(1, 'accepted')), '2 answers were told'],
    ['nobody told', outcomes(told(1, 'AlreadyAnswered')), 'nobody was told'],
    ['the same answer refused', outcomes(told(0, 'accepted'), told(0, 'AlreadyAnswered')), 'came again and was told'],
    ['an error that is no refusal', outcomes(told(0, 'accepted'), told(1, 'StoreConflict')), 'told: StoreConflict'],
    ['no such question, told late', outcomes(told(0, 'accepted'), told(1, 'UnknownRequest')), 'told: UnknownRequest'],
    ['a run that went on twice', record({ continued: 2 }), 'went on 2 times'],
    ['a run that did not go on', record({ continued: 0 }), 'went on 0 times'],
    ['a run that still waits', record({ status: 'suspended' }), 'is suspended'],
    ['a question closed twice', record({ expired: 1 }), 'closed 2 times'],
    ['an effect done twice', { paid: 2 }, 'paid 2 times'],
    ['an effect not done', { paid: 0 }, 'paid 0 times'],
  ])('finds %s', (_, change, seen) => {
    expect(judge({ ...GOOD, ...change }).join('\n')).toContain(seen);
  });

  it('allows that an answer found no question when it came before it', () => {
    expect(judge({ ...GOOD, ...outcomes(told(0, 'UnknownRequest', true), told(0, 'accepted')) })).toEqual([]);
  });
});
