import type { Principal } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { FoldedStream, type Folding } from '../log/folded-stream.ts';
import type { DeliveryEvent, DeliveryEventType } from './delivery-event.ts';
import { applyDelivery, type DeliveryRecord, emptyRecord } from './delivery-record.ts';

const PREFIX = 'delivery_';
const CHANNEL_NAME = /^[a-z][a-z0-9-]{0,39}$/;

export function isChannelName(name: string): boolean {
  return CHANNEL_NAME.test(name);
}

export function deliveryStream(tenant: string, channel: string): string {
  return `${PREFIX}${tenant}/${channel}`;
}

/** Names of the channels of a tenant that have a record, in code point order. */
export async function channelNames(store: EventStore, tenant: string): Promise<string[]> {
  const prefix = deliveryStream(tenant, '');
  const names: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await store.streams({ prefix, ...(after === undefined ? {} : { after }) });
    names.push(...page.map(stream => stream.slice(prefix.length)).filter(isChannelName));
    after = page.at(-1);
    if (after === undefined) return names;
  }
}

/** Losing one repeats what it tells of, and no more. */
const REPEATABLE: ReadonlySet<DeliveryEventType> = new Set([
  'delivery.claimed',
  'delivery.released',
  'delivery.moved',
  'delivery.succeeded',
  'delivery.skipped',
  'delivery.failed',
]);

interface RecordBody extends Pick<DeliveryRecord, 'cursor' | 'claim'> {
  readonly waiting: readonly (readonly [string, never])[];
  readonly abandoned: readonly (readonly [string, never])[];
}

const RECORD: Folding<DeliveryRecord> = {
  format: 102,
  onlyLast: true,
  empty: emptyRecord,
  apply: (record, event, { at }) => applyDelivery(record, event, at),
  encode: ({ cursor, claim, waiting, abandoned }) => ({
    cursor,
    claim,
    waiting: [...waiting],
    abandoned: [...abandoned],
  }),
  decode: ({ cursor, claim, waiting, abandoned }: RecordBody) => ({
    cursor,
    claim,
    waiting: new Map(waiting),
    abandoned: new Map(abandoned),
  }),
};

/**
 * The stream of one channel, as this process has read it. What is queued is synced, and with it all that was committed
 * before: what is published is never lost afterwards. An outcome that a loss of power takes back is a message sent twice.
 */
export class DeliveryLog {
  readonly stream: string;
  readonly #log: FoldedStream<DeliveryRecord>;
  readonly #now: () => number;

  constructor(store: EventStore, now: () => number, tenant: string, channel: string) {
    this.stream = deliveryStream(tenant, channel);
    this.#log = new FoldedStream(store, this.stream, RECORD);
    this.#now = now;
  }

  /** Changed by `refresh` and `append`. */
  get record(): DeliveryRecord {
    return this.#log.folded;
  }

  /** Reads what others have written. */
  async refresh(): Promise<void> {
    await this.#log.refresh();
  }

  async append(events: readonly DeliveryEvent[], actor: Principal): Promise<void> {
    await this.#log.append(events, actor, { now: this.#now(), sync: events.some(({ type }) => !REPEATABLE.has(type)) });
  }
}
