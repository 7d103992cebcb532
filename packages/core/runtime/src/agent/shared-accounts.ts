import {
  type Amounts,
  addDecimals,
  type Bound,
  difference,
  type Money,
  NOTHING_SPENT,
  NOTHING_USED,
  opKey,
  type Run,
  type RunEvent,
  type Spending,
  timesOf,
  toUnits,
  type Usage,
} from '@signalbox/kernel';
import type { CounterChange, EventStore } from '@signalbox/ports';

/** Money stands in counters in millionths of its unit. */
const MONEY_PLACES = 6;

/** By operation: what bounds held it to when it was begun. */
export type BoundsOfOps = ReadonlyMap<string, readonly Bound[]>;

const NO_BOUNDS: readonly Bound[] = [];

/** Accounts that several runs are charged to are counters of the store. */
function isShared(account: string): boolean {
  return account.startsWith('session:') || account.startsWith('tenant:');
}

/**
 * What a commit adds to the shared accounts: reservations as they are made, each with the bounds that it was held to, and
 * the difference when they are settled, which is a fact that no bound refuses.
 */
export function countersOf(
  { tenant, spending }: Run,
  events: readonly RunEvent[],
  bounds: BoundsOfOps,
): CounterChange[] {
  return events.flatMap(event => {
    if (event.type === 'op.intended' && event.data.reserve !== undefined) {
      const { amounts, accounts } = event.data.reserve;
      const held = bounds.get(opKey(event.data, event.data.op)) ?? NO_BOUNDS;
      const most = (account: string) => mostOf(spending ?? NOTHING_SPENT, held, account);
      return accounts.filter(isShared).flatMap(account => added(tenant, account, amounts, most(account)));
    }
    if (event.type !== 'budget.spent') return [];
    const { amounts, accounts, reserved = {} } = event.data;
    const parts = difference(amounts, reserved);
    return accounts.filter(isShared).flatMap(account => parts.flatMap(part => added(tenant, account, part)));
  });
}

/** Up to where each counter of the account may go, by the counter's name. */
function mostOf(spending: Spending, bounds: readonly Bound[], account: string): Readonly<Record<string, number>> {
  const bound = bounds.find(candidate => candidate.account === account);
  if (bound === undefined) return {};
  const { money, ...counted } = bound.allowed;
  const all = { ...counted, ...(money === undefined ? {} : { [money.currency]: units(money) }) };
  const times = timesOf(spending, bound);
  return Object.fromEntries(Object.entries(all).map(([name, most]) => [name, most * times]));
}

function added(
  tenant: string,
  account: string,
  { money, ...counted }: Amounts,
  most: Readonly<Record<string, number>> = {},
): CounterChange[] {
  const all = { ...counted, ...(money === undefined ? {} : { [money.currency]: units(money) }) };
  return Object.entries(all).map(([name, add]) => {
    const max = Object.hasOwn(most, name) ? { max: most[name]! } : {};
    return { tenant, key: `${account}/${name}`, add, ...max };
  });
}

function units({ amount }: Money): number {
  return Number(toUnits(amount, MONEY_PLACES));
}

/** As far as a bound looks at it. */
export async function readAccount(
  store: EventStore,
  tenant: string,
  account: string,
  allowed: Amounts,
): Promise<Usage> {
  const count = (name: string) => store.counter(tenant, `${account}/${name}`);
  const read = async (name: 'tokens' | 'modelCalls' | 'toolCalls' | 'time') =>
    allowed[name] === undefined ? 0 : await count(name);
  const currency = allowed.money?.currency;
  return {
    ...NOTHING_USED,
    tokens: await read('tokens'),
    modelCalls: await read('modelCalls'),
    toolCalls: await read('toolCalls'),
    time: await read('time'),
    money: currency === undefined ? {} : { [currency]: fromUnits(await count(currency)) },
  };
}

function fromUnits(units: number): string {
  const text = String(Math.abs(Math.trunc(units))).padStart(MONEY_PLACES + 1, '0');
  const plain = `${text.slice(0, -MONEY_PLACES)}.${text.slice(-MONEY_PLACES)}`;
  return addDecimals(units < 0 ? `-${plain}` : plain, '0');
}
