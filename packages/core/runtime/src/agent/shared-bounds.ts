import {
  type Amounts,
  type Bound,
  type CommandBody,
  type ContractBudgets,
  type OpReport,
  opKey,
  type Run,
} from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { dayIn } from './day-in.ts';
import { type BoundsOfOps, readAccount } from './shared-accounts.ts';

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
  for (const [account, allowed] of accounts)
    if (allowed !== undefined) bounds.push({ ...(await boundOf(store, run, account, allowed)), question });
  return bounds;
}

/** On the calls of one tool in all runs of a session. */
export async function boundInSession(
  store: EventStore,
  run: Run,
  tool: string,
  most: number,
): Promise<Bound | undefined> {
  if (run.session === undefined) return undefined;
  return await boundOf(store, run, `session:${run.session}:tool:${tool}`, { toolCalls: most });
}

async function boundOf(store: EventStore, run: Run, account: string, allowed: Amounts): Promise<Bound> {
  return { account, allowed, used: await readAccount(store, run.tenant, account, allowed), asOf: run.seq };
}

const NONE: BoundsOfOps = new Map();

/** Bounds of shared accounts, of the operations that are begun by these commands. */
export function sharedBoundsIn(batch: Iterable<{ readonly body: CommandBody }>): BoundsOfOps {
  let found: Map<string, readonly Bound[]> | undefined;
  for (const { body } of batch)
    if (body.type === 'report')
      for (const op of body.ops) {
        if (!isBounded(op)) continue;
        found ??= new Map();
        found.set(opKey(body, op.op), op.bounds.filter(isShared));
      }
  return found ?? NONE;
}

/** The command with these bounds as they are by now, for a run of which all that was sent has landed or is void. */
export async function withBoundsOfNow(store: EventStore, run: Run, body: CommandBody): Promise<CommandBody> {
  if (body.type !== 'report' || !body.ops.some(isBounded)) return body;
  const ofNow = async (bound: Bound): Promise<Bound> =>
    isShared(bound)
      ? { ...bound, used: await readAccount(store, run.tenant, bound.account, bound.allowed), asOf: run.seq }
      : bound;
  const ops: OpReport[] = [];
  for (const op of body.ops) ops.push(isBounded(op) ? { ...op, bounds: await Promise.all(op.bounds.map(ofNow)) } : op);
  return { ...body, ops };
}

type Bounded = Extract<OpReport, { type: 'intend' | 'afford' }> & { readonly bounds: readonly Bound[] };

function isBounded(op: OpReport): op is Bounded {
  return (op.type === 'intend' || op.type === 'afford') && op.bounds?.some(isShared) === true;
}

function isShared({ used }: Bound): boolean {
  return used !== undefined;
}
