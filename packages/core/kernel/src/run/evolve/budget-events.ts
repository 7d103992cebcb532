import type { OpRef, RunEvents } from '../../event/run-event.ts';
import type { Draft } from '../draft.ts';
import { opKey } from '../keys.ts';
import { charged, NOTHING_SPENT } from '../spending.ts';
import type { Evolve } from './evolver.ts';

export const budgetSpent: Evolve<'budget.spent'> = (draft, data) => {
  const { reserved, ...rest } = draft.run.spending ?? NOTHING_SPENT;
  const left = new Map(reserved);
  left.delete(opKey(data, data.op));
  draft.run.spending = { ...rest, reserved: left, accounts: charged(rest.accounts, data.accounts, data.amounts) };
};

/** Where somebody is asked, the operation stands until they have said. */
export const budgetExceeded: Evolve<'budget.exceeded'> = (draft, data) => {
  if (!data.asks) return;
  const execution = draft.execution(data);
  if (execution === undefined) return;
  const { op, kind, digest } = data;
  draft.journal(execution).set(op, { op, kind, digest, status: 'held', order: -1 });
};

/** The same allowance again, for whatever else is spent on that account. */
export const budgetExtended: Evolve<'budget.extended'> = ({ run }, { account }) => {
  const { granted, ...rest } = run.spending ?? NOTHING_SPENT;
  run.spending = { ...rest, granted: new Map(granted).set(account, (granted.get(account) ?? 0) + 1) };
};

export function reserve(draft: Draft, ref: OpRef, reservation: NonNullable<RunEvents['op.intended']['reserve']>): void {
  const { reserved, ...rest } = draft.run.spending ?? NOTHING_SPENT;
  const { token, node, visit, op } = ref;
  const all = new Map(reserved).set(opKey(ref, op), {
    token,
    node,
    visit,
    op,
    at: draft.run.at,
    seq: draft.run.seq,
    ...reservation,
  });
  draft.run.spending = { ...rest, reserved: all };
}
