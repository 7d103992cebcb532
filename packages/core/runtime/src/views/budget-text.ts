import { type Amounts, type BudgetLimit, formatDuration, type Money } from '@signalbox/kernel';

/** `1 call of a model, 120 tokens, 0.0042 USD, 15 ms`; what is 0 is left out. */
export function amountsText({ modelCalls, toolCalls, tokens, money, time }: Amounts): string {
  const parts = [
    amountText('modelCalls', modelCalls),
    amountText('toolCalls', toolCalls),
    amountText('tokens', tokens),
    amountText('money', money),
    amountText('time', time),
  ];
  return parts.filter(part => part !== undefined).join(', ') || 'nothing';
}

/** Of one limit, with its unit, also where it is 0. */
export function limitText(limit: BudgetLimit, value: number | Money): string {
  if (typeof value !== 'number') return `${value.amount} ${value.currency}`;
  if (limit === 'time') return formatDuration(value);
  const [one, many] = UNITS[limit];
  return `${value} ${value === 1 ? one : many}`;
}

function amountText(limit: BudgetLimit, value: number | Money | undefined): string | undefined {
  const isNothing = value === undefined || value === 0 || (typeof value === 'object' && Number(value.amount) === 0);
  return isNothing ? undefined : limitText(limit, value);
}

const UNITS: Readonly<Record<BudgetLimit, readonly [one: string, many: string]>> = {
  modelCalls: ['call of a model', 'calls of models'],
  toolCalls: ['call of a tool', 'calls of tools'],
  tokens: ['token', 'tokens'],
  money: ['', ''],
  time: ['', ''],
};

const OF_TOOL = /^(?:(.*):)?tool:([^:]+)$/;

/**
 * `run`, `node:GRAPH/NODE`, `agent:NAME`, `session:…`, `tenant:…` as they are said, and `tool:NAME` alone or behind `session:…` or
 * `visit:NODE#VISIT`.
 */
export function accountText(account: string): string {
  const [, within, tool] = OF_TOOL.exec(account) ?? [];
  if (tool !== undefined) return `the tool ${tool}${within === undefined ? '' : ` in ${accountText(within)}`}`;
  const [kind = '', ...rest] = account.split(':');
  return rest.length === 0 ? `the ${kind}` : `the ${kind} ${rest.join(':').replace(/^\//, '')}`;
}
