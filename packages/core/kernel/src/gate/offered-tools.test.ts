import { describe, expect, it } from 'vitest';
import { offeredTools } from './offered-tools.ts';
import { contractOf, factsOf, historyOf } from './testing/contract.ts';

const contract = contractOf({
  find: { effect: 'read', limits: { failuresInARow: 2 } },
  refund: { when: 'state.verified' },
  ship: { limits: { perRun: 1 } },
});

describe('offeredTools', () => {
  it('are those whose condition holds, in the order of the contract', () => {
    expect(offeredTools(contract, factsOf({ state: { verified: true } }))).toEqual({
      offered: ['find', 'refund', 'ship'],
      withheld: [],
    });
  });

  it('leave out, with a code and a reason, what the state closes, what is used up, what fails and what is in no contract', () => {
    const tools = { ship: historyOf({ calls: 1 }), find: historyOf({ failedInARow: 2 }) };
    const { offered, withheld } = offeredTools(contract, factsOf({ tools }), {
      known: ['find', 'drop_table'],
    });
    expect(offered).toEqual([]);
    expect(withheld.map(({ tool, code }) => [tool, code])).toEqual([
      ['find', 'historyOfFailures'],
      ['refund', 'disabledInState'],
      ['ship', 'limitReached'],
      ['drop_table', 'notAllowed'],
    ]);
    expect(withheld[1]!.reason).toBe(
      'The tool `refund` cannot be called in this state: `state.verified` cannot be evaluated: no such field "verified" on state.',
    );
  });
});
