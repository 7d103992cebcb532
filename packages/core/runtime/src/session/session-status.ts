import type { EventStore } from '@signalbox/ports';
import type { SessionPlace } from './session-id.ts';
import type { SessionRecord } from './session-record.ts';

export type SessionStatus = 'idle' | 'processing' | 'suspended' | 'error';

const EXECUTING = ['running', 'cancelling', 'compensating'];
const WAITING = ['suspended', 'paused'];

/** Derived from the rows of the session's runs, which change in the commits that change the runs. */
export async function sessionStatus(
  store: EventStore,
  { id: session, tenant }: SessionPlace,
  { holders, queue, lastRun }: SessionRecord,
): Promise<SessionStatus> {
  const has = async (status: readonly string[]) =>
    (await store.runs({ tenant, session, status, limit: 1 })).rows.length > 0;
  if (holders.length > 0 || queue.length > 0 || (await has(EXECUTING))) return 'processing';
  if (await has(WAITING)) return 'suspended';
  const last = lastRun === undefined ? undefined : await store.run(lastRun);
  return last?.status === 'failed' ? 'error' : 'idle';
}
