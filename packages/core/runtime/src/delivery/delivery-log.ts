import type { Principal } from '@signalbox/kernel';
import type { Clock, EventStore } from '@signalbox/ports';
import type { Folding } from '../log/folded-stream.ts';
import { StreamWriter } from '../log/stream-writer.ts';
import type { DeliveryEvent, DeliveryEventType } from './delivery-event.ts';
import { applyDelivery, type DeliveryRecord, emptyRecord } from './delivery-record.ts';

const PREFIX = 'delivery_';
const CHANNEL_NAME = /^[a-z][a-z0-9-]{0,39}$/;

export function isChannelName(name: string): boolean {
  return CHANNEL_NAME.test(name);
}

function deliveryStream(tenant: string, channel: string): string {
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
  readonly #store: EventStore;
  readonly #writer: StreamWriter<DeliveryRecord>;

  constructor(store: EventStore, clock: Pick<Clock, 'now'>, tenant: string, channel: string) {
    this.#store = store;
    this.#writer = new StreamWriter(store, clock, deliveryStream(tenant, channel), RECORD);
  }

  get stream(): string {
    return this.#writer.stream;
  }

  /** Changed by `refresh` and `write`. */
  get record(): DeliveryRecord {
    return this.#writer.folded;
  }

  /** Reads what others have written. */
  refresh(): Promise<void> {
    return this.#writer.refresh();
  }

  /** `decide` gives what is to be said of the record as it is then; when others were first, it is asked again. */
  write(decide: (record: DeliveryRecord) => readonly DeliveryEvent[], actor: Principal): Promise<void> {
    return this.#writer.write(decide, actor, (append, events) => {
      const sync = (events as readonly DeliveryEvent[]).some(({ type }) => !REPEATABLE.has(type));
      return this.#store.commit({ appends: [append] }, { sync });
    });
  }
}
