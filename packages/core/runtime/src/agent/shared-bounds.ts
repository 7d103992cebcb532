import type { Amounts, Bound, ContractBudgets, Run, Usage } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { dayIn } from './day-in.ts';
import { readAccount } from './shared-accounts.ts';

/** Bounds of accounts that runs share: their session's, and the tenant's of the day. */
export async function sharedBounds(
  store: EventStore,
  run: Run,
  { session, tenantPerDay, onReached }: ContractBudgets,
  now: number,
): Promise<readonly Bound[]> {
  const question = onReached === 'ask' ? {} : undefined;
  const accounts: readonly (readonly [string, Amounts | undefined])[] = [
    [`session:${run.session}`, run.session === undefined ? undefined : session],
    [`tenant:${run.tenant}:${dayIn(run.zone, now)}`, tenantPerDay],
  ];
  const bounds: Bound[] = [];
  for (const [account, allowed] of accounts) {
    if (allowed === undefined) continue;
    const used: Usage = await readAccount(store, run.tenant, account, allowed);
    bounds.push({ account, allowed, used, question });
  }
  return bounds;
}
