import { DELIVERY_TYPES, type DeliveryChannel } from '@signalbox/ports';
import { Coalesced } from '../engine/coalesced.ts';
import { type Claimant, ClaimedLog } from './claimed-log.ts';
import { isChannelName } from './delivery-log.ts';
import { invalidChannel } from './invalid-channel.ts';
import type { MessageSources } from './message.ts';
import { type FeedFilter, type FeedSpan, readFeed } from './read-feed.ts';
import { DEFAULT_SCHEDULE, parseSchedule, parseWait } from './retry-schedule.ts';
import { Senders } from './senders.ts';

export interface PublisherDeps extends Claimant, MessageSources {
  onError(error: unknown, where: { readonly runId: string }): void;
}

const TIMEOUT = '30s';
const CONCURRENCY = 4;
/** The place in the feed is recorded at least after so many commits. */
const MOVE_EVERY = 1_000;

/**
 * Publishes to one channel: reads the feed, queues what is for it, has it sent.
 *  1. The place in the feed moves only in the commit that queues what was before it.
 *  2. Work is done by whoever holds the claim. Safety rests on the compare-and-set of the stream, not on the claim.
 *  3. How far was read in memory may lead what is recorded only by commits that held nothing for this channel.
 */
export class ChannelPublisher {
  readonly #deps: PublisherDeps;
  readonly #name: string;
  readonly #filter: FeedFilter;
  readonly #log: ClaimedLog;
  readonly #senders: Senders;
  readonly #passes = new Coalesced(() => this.#pass());
  readonly #stopping = new AbortController();
  /** Where the feed ended when this was made; undefined: the store could not say. */
  readonly #origin: Promise<string | undefined>;
  #read: string | undefined;
  #recorded: string | undefined;
  /** Commits read since. */
  #unrecorded = 0;
  #cancelAlarm = () => {};
  /** The last pass that was asked for; undefined: this channel was never begun here. */
  #last: Promise<void> | undefined;

  /** @throws SignalboxError `InvalidChannel` */
  constructor(deps: PublisherDeps, channel: DeliveryChannel) {
    const { name, tenant = 'default', types = DELIVERY_TYPES, schedule = DEFAULT_SCHEDULE } = channel;
    const { timeout = TIMEOUT, concurrency = CONCURRENCY } = channel;
    if (!isChannelName(name))
      throw invalidChannel(name, 'its name is not made of lower-case letters, digits and hyphens, 40 at most');
    if (!Number.isInteger(concurrency) || concurrency < 1)
      throw invalidChannel(name, 'its `concurrency` is no number from 1');
    this.#deps = deps;
    this.#name = name;
    this.#filter = { tenant, types: new Set(types) };
    this.#log = new ClaimedLog(deps, tenant, name);
    this.#origin = deps.store.feedEnd().catch(() => undefined); // Whoever begins asks again, and is told.
    this.#senders = new Senders(deps, this.#log, {
      channel,
      waits: parseSchedule(name, schedule),
      timeout: parseWait(name, 'timeout', timeout),
      concurrency,
      stopping: this.#stopping.signal,
      onRest: () => this.#wakeQuietly(),
      onError: error => this.#tell(error),
    });
  }

  get stream(): string {
    return this.#log.stream;
  }

  /** A new channel hears everything that is stored from when this was made. Resolves once that is durable. */
  async begin(): Promise<void> {
    await this.#log.refresh();
    if (this.#log.record.cursor !== undefined) return;
    const cursor = (await this.#origin) ?? (await this.#deps.store.feedEnd());
    const data = { tenant: this.#filter.tenant, channel: this.#name, cursor };
    await this.#log.append(record => (record.cursor === undefined ? [{ type: 'delivery.begun', data }] : []));
  }

  /** Looks for what there is to do, now or once what is under way is done. */
  async wake(): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    const pass = this.#passes.run();
    this.#last = pass.catch(() => {}); // Told to whoever asked for it.
    await pass;
  }

  /** What is there already may still be sent for `grace` ms; what is not recorded by then is sent again by the next. */
  async stop(grace: number): Promise<void> {
    if (this.#last === undefined) return this.#stopping.abort();
    const { clock } = this.#deps;
    if (grace > 0) {
      const cancel = clock.at(clock.now() + grace, () => this.#stopping.abort());
      await this.wake().catch(error => this.#tell(error));
      await this.#senders.idle();
      cancel();
    }
    this.#stopping.abort();
    this.#cancelAlarm();
    await this.#last;
    await this.#senders.idle();
    await this.#log.release();
  }

  #tell(error: unknown): void {
    this.#deps.onError(error, { runId: this.stream });
  }

  async #pass(): Promise<void> {
    await this.#log.refresh();
    if (this.#log.record.cursor === undefined) await this.begin();
    for (let isEnd = false; !isEnd && !this.#stopping.signal.aborted; ) {
      const claimed = this.#log.claimedElsewhere();
      if (claimed !== undefined) return this.#ringAt(claimed);
      const span = await this.#readOn();
      await this.#queue(span);
      this.#senders.start();
      isEnd = span.isEnd;
    }
    const next = this.#senders.nextAt();
    if (next !== undefined) this.#ringAt(next);
  }

  async #readOn(): Promise<FeedSpan> {
    const { cursor } = this.#log.record;
    if (cursor !== this.#recorded) {
      this.#recorded = cursor;
      this.#read = cursor;
      this.#unrecorded = 0;
    }
    const span = await readFeed(this.#deps.store, this.#read, this.#filter);
    for (const { stream, error } of span.unreadable) this.#deps.onError(error, { runId: stream });
    return span;
  }

  async #queue({ messages, cursor, commits }: FeedSpan): Promise<void> {
    this.#unrecorded += commits;
    if (messages.length === 0 && this.#unrecorded < MOVE_EVERY) {
      this.#read = cursor;
      return;
    }
    const before = this.#recorded;
    await this.#log.append(record => {
      // Somebody else has read on meanwhile: read anew from there.
      if (record.cursor !== before) return [];
      if (messages.length === 0) return [{ type: 'delivery.moved', data: { cursor } }];
      return [...this.#log.claim(), { type: 'delivery.queued', data: { cursor, messages } }];
    });
  }

  #ringAt(at: number): void {
    this.#cancelAlarm();
    if (this.#stopping.signal.aborted) return;
    this.#cancelAlarm = this.#deps.clock.at(at, () => this.#wakeQuietly());
  }

  #wakeQuietly(): void {
    this.wake().catch(error => this.#tell(error));
  }
}
