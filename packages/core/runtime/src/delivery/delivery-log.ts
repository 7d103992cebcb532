import { type Commit, commitMillis, commitTime, type Principal, type StoredEvent } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { openCommit, sha256, toAppend } from '../log/commit-codec.ts';
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

const PAGE = 500;
/** Commits folded beyond the last snapshot before there is another. */
const SNAPSHOT_EVERY = 500;
/** Losing one repeats what it tells of, and no more. */
const REPEATABLE: ReadonlySet<DeliveryEventType> = new Set([
  'delivery.claimed',
  'delivery.released',
  'delivery.moved',
  'delivery.succeeded',
  'delivery.skipped',
  'delivery.failed',
]);
/** Tells a channel's snapshot from a run's. */
const FORMAT = 101;

interface SnapshotBody {
  readonly at: number;
  readonly hash?: string;
  readonly cursor?: string;
  readonly claim?: DeliveryRecord['claim'];
  readonly waiting: readonly (readonly [string, never])[];
  readonly abandoned: readonly (readonly [string, never])[];
}

/**
 * The stream of one channel, as this process has read it.
 *  1. An append lands only where the reading ends; else it rejects with a `StoreConflict`, and `refresh` reads on.
 *  2. What is queued is synced, and with it all that was committed before: what is published is never lost afterwards.
 *     An outcome that a loss of power takes back is a message sent twice.
 */
export class DeliveryLog {
  readonly stream: string;
  readonly #store: EventStore;
  readonly #now: () => number;
  #record = emptyRecord();
  #seq = 0;
  #at = 0;
  #hash: string | undefined;
  #tail = 0;

  constructor(store: EventStore, now: () => number, tenant: string, channel: string) {
    this.#store = store;
    this.#now = now;
    this.stream = deliveryStream(tenant, channel);
  }

  /** Changed by `refresh` and `append`. */
  get record(): DeliveryRecord {
    return this.#record;
  }

  /** Reads what others have written. */
  async refresh(): Promise<void> {
    if (this.#seq === 0) await this.#readSnapshot();
    for (;;) {
      const page = await this.#store.read(this.stream, { fromSeq: this.#seq + 1, limit: PAGE });
      for (const stored of page) this.#apply(openCommit(stored), stored.sealed?.hash);
      if (page.length < PAGE) return;
    }
  }

  async append(events: readonly DeliveryEvent[], actor: Principal): Promise<void> {
    const commit: Commit = {
      stream: this.stream,
      firstSeq: this.#seq + 1,
      at: commitTime(Math.max(this.#now(), this.#at)),
      actor,
      ...(this.#hash === undefined ? {} : { prev: this.#hash }),
      events: events as unknown as StoredEvent[],
    };
    const append = toAppend(commit);
    await this.#store.commit({ appends: [append] }, { sync: events.some(({ type }) => !REPEATABLE.has(type)) });
    this.#apply(commit, this.#store.features.chained ? append.seal().hash : undefined);
    if (this.#tail >= SNAPSHOT_EVERY) await this.#saveSnapshot();
  }

  /** Two calls may have read the same commits at the same time; each is applied once. */
  #apply(commit: Commit, hash: string | undefined): void {
    if (commit.firstSeq !== this.#seq + 1) return;
    const at = commitMillis(commit.at);
    for (const event of commit.events) applyDelivery(this.#record, event, at);
    this.#seq += commit.events.length;
    this.#at = at;
    this.#hash = hash;
    this.#tail += 1;
  }

  /** One that is missing, damaged or of another release is passed over, and the log is folded. */
  async #readSnapshot(): Promise<void> {
    const snapshot = await this.#store.snapshot(this.stream);
    if (snapshot === undefined || snapshot.format !== FORMAT || this.#seq > 0) return;
    const content = snapshot.body.slice(64);
    if (sha256(content) !== snapshot.body.slice(0, 64)) return;
    const { at, hash, cursor, claim, waiting, abandoned } = JSON.parse(content) as SnapshotBody;
    this.#record = { cursor, claim, waiting: new Map(waiting), abandoned: new Map(abandoned) };
    this.#seq = snapshot.seq;
    this.#at = at;
    this.#hash = hash;
  }

  async #saveSnapshot(): Promise<void> {
    const { cursor, claim, waiting, abandoned } = this.#record;
    const body = { at: this.#at, hash: this.#hash, cursor, claim, waiting: [...waiting], abandoned: [...abandoned] };
    const content = JSON.stringify(body);
    const seq = this.#seq;
    this.#tail = 0;
    await this.#store.saveSnapshot({ stream: this.stream, seq, format: FORMAT, body: sha256(content) + content }, []);
    const older = (await this.#store.snapshotSeqs(this.stream)).filter(each => each < seq);
    if (older.length > 0) await this.#store.dropSnapshots(this.stream, older);
  }
}
