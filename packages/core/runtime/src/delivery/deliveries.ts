import { commitTime, type Principal, SignalboxError } from '@signalbox/kernel';
import type { DeliveryType, EventStore } from '@signalbox/ports';
import type { DeliveryEvent } from './delivery-event.ts';
import { channelNames, DeliveryLog } from './delivery-log.ts';
import type { DeliveryRecord } from './delivery-record.ts';

/** A message that is not delivered: it waits for its next attempt, or is a dead letter. */
export interface DeliveryRow {
  readonly channel: string;
  readonly id: string;
  readonly type: DeliveryType;
  readonly request: string;
  readonly run: string;
  readonly status: 'waiting' | 'abandoned';
  /** Attempts made. */
  readonly attempts: number;
  readonly queuedAt: string;
  /** Of one that waits: when the next attempt is due. */
  readonly next?: string;
  readonly abandonedAt?: string;
  /** Of the last attempt. */
  readonly error?: string;
}

export interface DeliveryQuery {
  readonly tenant?: string;
  readonly channel?: string;
  readonly status?: DeliveryRow['status'];
}

/** What is not delivered, channel by channel: first what waits, then the dead letters, each in order of queueing. */
export async function listDeliveries(store: EventStore, query: DeliveryQuery = {}): Promise<readonly DeliveryRow[]> {
  const { tenant = 'default', channel, status } = query;
  const rows: DeliveryRow[] = [];
  for (const name of await channelNames(store, tenant)) {
    if (channel !== undefined && channel !== name) continue;
    rows.push(...rowsOf(name, (await logOf(store, tenant, name)).record));
  }
  return status === undefined ? rows : rows.filter(row => row.status === status);
}

function* rowsOf(channel: string, { waiting, abandoned }: DeliveryRecord): Generator<DeliveryRow> {
  for (const { due, queuedAt, seq: _, ...message } of waiting.values())
    yield { channel, ...message, status: 'waiting', queuedAt: commitTime(queuedAt), next: commitTime(due) };
  for (const { abandonedAt, queuedAt, seq: _, ...message } of abandoned.values())
    yield {
      channel,
      ...message,
      status: 'abandoned',
      queuedAt: commitTime(queuedAt),
      abandonedAt: commitTime(abandonedAt),
    };
}

export interface DeliveryChange {
  readonly tenant?: string;
  readonly channel?: string;
  /** Of one message; absent: all dead letters. */
  readonly id?: string;
  readonly now: number;
  readonly by: Principal;
}

/**
 * Dead letters are tried anew, from the first attempt on, by whoever serves the channel. Returns how many.
 *
 * @throws SignalboxError `UnknownDelivery` when none of the id is a dead letter.
 */
export async function retryDeliveries(store: EventStore, change: DeliveryChange): Promise<number> {
  return await changeAbandoned(store, change, id => ({ type: 'delivery.requeued', data: { id } }));
}

/**
 * Dead letters leave the list; the log keeps that they were. Returns how many.
 *
 * @throws SignalboxError `UnknownDelivery` when none of the id is a dead letter.
 */
export async function discardDeliveries(
  store: EventStore,
  { reason, ...change }: DeliveryChange & { readonly reason: string },
): Promise<number> {
  return await changeAbandoned(store, change, id => ({ type: 'delivery.discarded', data: { id, reason } }));
}

async function changeAbandoned(
  store: EventStore,
  { tenant = 'default', channel, id, now, by }: DeliveryChange,
  eventOf: (id: string) => DeliveryEvent,
): Promise<number> {
  let changed = 0;
  for (const name of await channelNames(store, tenant)) {
    if (channel !== undefined && channel !== name) continue;
    let ids: readonly string[] = [];
    await (await logOf(store, tenant, name, now)).write(({ abandoned }) => {
      ids = [...abandoned.keys()].filter(each => id === undefined || each === id);
      return ids.map(eventOf);
    }, by);
    changed += ids.length;
  }
  if (changed === 0 && id !== undefined) throw unknownDelivery(id);
  return changed;
}

async function logOf(store: EventStore, tenant: string, channel: string, now = 0): Promise<DeliveryLog> {
  const log = new DeliveryLog(store, { now: () => now }, tenant, channel);
  await log.refresh();
  return log;
}

function unknownDelivery(id: string): SignalboxError {
  return new SignalboxError('UnknownDelivery', `No message "${id}" was given up.`, {
    hint: 'See `signalbox deliveries`. One that still waits is tried again by itself.',
    details: { message: id },
  });
}
