import type { Amounts, Money } from '../budget/amounts.ts';
import type { BudgetLeft } from '../budget/budget-left.ts';
import { compareDecimals, isDecimalText } from '../budget/decimal-text.ts';
import { COUNTED } from '../budget/usage.ts';
import type { CompiledTool } from '../contract/compiled-contract.ts';
import type { RefusalCode } from './judgement.ts';
import type { Passage, Stop } from './passage.ts';

/** What one call takes of every budget that it counts for. */
export function costOf({ definition: { cost } }: CompiledTool): Amounts {
  return { toolCalls: 1, ...cost };
}

/** A limit on the calls of a tool is an account of its own. */
export function codeOverBudget(account: string, tool: string): Extract<RefusalCode, 'limitReached' | 'overBudget'> {
  return account === `tool:${tool}` || account.endsWith(`:tool:${tool}`) ? 'limitReached' : 'overBudget';
}

/** The stage `budget`. A bound that nobody is asked about refuses, whatever the others say: no question is put in vain. */
export function checkBudget(passage: Passage): Stop | undefined {
  const asked = costOf(passage.tool);
  const left = (passage.options.left ?? []).flatMap(bound => ofWhatIsAsked(bound, asked));
  if (left.length === 0) return passage.pass('budget');
  const short = left.flatMap(bound => {
    const why = exceedsLeft(asked, bound.left);
    return why === undefined ? [] : [{ ...bound, why: `${why} of ${bound.account}` }];
  });
  const met = short.find(({ asks }) => asks !== true) ?? short[0];
  if (met === undefined) return passage.note({ stage: 'budget', outcome: 'passed', asked, left });
  const code = codeOverBudget(met.account, passage.call.tool);
  if (met.asks === true) {
    passage.asksBudget = true;
    return passage.note({ stage: 'budget', outcome: 'asks', reason: met.why, code, asked, left });
  }
  return passage.refuse(
    'budget',
    { code, message: `\`${passage.call.tool}\` is not called: ${met.why}.` },
    { asked, left },
  );
}

/** As far as it counts for the call: everything takes time. */
function ofWhatIsAsked({ left, ...bound }: BudgetLeft, asked: Amounts): BudgetLeft[] {
  const counts = (name: string) => name === 'time' || Object.hasOwn(asked, name);
  const members = Object.entries(left).filter(([name]) => counts(name));
  return members.length === 0 ? [] : [{ ...bound, left: Object.fromEntries(members) }];
}

const UNITS = { toolCalls: 'tool calls', tokens: 'tokens', modelCalls: 'model calls', time: 'ms' } as const;

/** What one call costs that is more than what is left, in words; undefined where all of it is there. */
function exceedsLeft(asked: Amounts, left: Amounts): string | undefined {
  for (const name of COUNTED) {
    const [cost = 0, most] = [asked[name], left[name]];
    if (most === undefined || (cost <= most && most > 0)) continue;
    return `it costs ${cost} ${UNITS[name]}, and ${most} are left`;
  }
  return priced(asked.money, left.money);
}

/** Amounts of two currencies cannot be compared, which closes. */
function priced(cost: Money | undefined, left: Money | undefined): string | undefined {
  if (cost === undefined || left === undefined) return undefined;
  const comparable = cost.currency === left.currency && isDecimalText(cost.amount) && isDecimalText(left.amount);
  return comparable && compareDecimals(cost.amount, left.amount) <= 0 && compareDecimals(left.amount, '0') > 0
    ? undefined
    : `it costs ${show(cost)}, and ${show(left)} are left`;
}

function show({ amount, currency }: Money): string {
  return `${amount} ${currency}`;
}
