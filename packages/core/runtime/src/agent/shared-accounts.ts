import {
  type Amounts,
  addDecimals,
  difference,
  NOTHING_USED,
  type RunEvent,
  toUnits,
  type Usage,
} from '@signalbox/kernel';
import type { CommitBatch, EventStore } from '@signalbox/ports';

/** Money stands in counters in millionths of its unit. */
const MONEY_PLACES = 6;

type Counters = NonNullable<CommitBatch['counters']>;

/** Accounts that several runs are charged to are counters of the store. */
function isShared(account: string): boolean {
  return account.startsWith('session:') || account.startsWith('tenant:');
}

/** What a commit adds to the shared accounts: reservations as they are made, and the difference when they are settled. */
export function countersOf(tenant: string, events: readonly RunEvent[]): Counters {
  return events.flatMap(event => {
    if (event.type === 'op.intended' && event.data.reserve !== undefined) {
      const { amounts, accounts } = event.data.reserve;
      return accounts.filter(isShared).flatMap(account => added(tenant, account, amounts));
    }
    if (event.type !== 'budget.spent') return [];
    const { amounts, accounts, reserved = {} } = event.data;
    const parts = difference(amounts, reserved);
    return accounts.filter(isShared).flatMap(account => parts.flatMap(part => added(tenant, account, part)));
  });
}

function added(tenant: string, account: string, { money, ...counted }: Amounts): Counters[number][] {
  const rows = Object.entries(counted).map(([name, add]) => ({ tenant, key: `${account}/${name}`, add }));
  if (money === undefined) return rows;
  const units = Number(toUnits(money.amount, MONEY_PLACES));
  return [...rows, { tenant, key: `${account}/${money.currency}`, add: units }];
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
