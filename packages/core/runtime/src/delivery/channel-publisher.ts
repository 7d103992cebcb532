import type { Principal } from '@signalbox/kernel';
import {
  type Clock,
  DELIVERY_TYPES,
  type DeliveryChannel,
  type DeliveryOutcome,
  type EventStore,
  isStoreConflict,
} from '@signalbox/ports';
import { Coalesced } from '../engine/coalesced.ts';
import { attemptDelivery, errorText, oneLine } from './attempt.ts';
import type { DeliveryEvent } from './delivery-event.ts';
import { DeliveryLog, isChannelName } from './delivery-log.ts';
import { nextMessages, type WaitingMessage } from './delivery-record.ts';
import { invalidChannel } from './invalid-channel.ts';
import { type MessageSources, messageOf } from './message.ts';
import { type FeedFilter, type FeedSpan, readFeed } from './read-feed.ts';
import { DEFAULT_SCHEDULE, parseSchedule, parseWait, waitAfter } from './retry-schedule.ts';

export interface PublisherDeps extends MessageSources {
  readonly store: EventStore;
  readonly clock: Clock;
  /** This process; new at every start. */
  readonly owner: string;
  /** How long a claim holds without being renewed, ms. */
  readonly lease: number;
  onError(error: unknown, where: { readonly runId: string }): void;
}

const PUBLISHER: Principal = { kind: 'system', id: 'publisher' };
const TIMEOUT = '30s';
const CONCURRENCY = 4;
/** The place in the feed is recorded at least after so many commits. */
const MOVE_EVERY = 1_000;
/** How often an append is decided anew when others write to the stream at the same time. */
const ATTEMPTS = 20;

/**
 * Publishes to one channel.
 *  1. A message leaves the queue only by a recorded outcome; the place in the feed moves only with what was queued before it.
 *  2. Work is done by whoever holds the claim. Safety rests on the compare-and-set of the stream, not on the claim.
 *  3. Of one request at most one message is under way, the first that waits.
 */
export class ChannelPublisher {
  readonly #deps: PublisherDeps;
  readonly #channel: DeliveryChannel;
  readonly #filter: FeedFilter;
  readonly #log: DeliveryLog;
  readonly #waits: readonly number[];
  readonly #timeout: number;
  readonly #passes = new Coalesced(() => this.#pass());
  readonly #stopping = new AbortController();
  /** Requests with a message under way. */
  readonly #underWay = new Set<string>();
  /** How far the feed was read; what is recorded may lag behind, and never leads. */
  #read: string | undefined;
  #recorded: string | undefined;
  #unrecorded = 0;
  #alarm: { readonly at: number; readonly cancel: () => void } | undefined;
  /** The last pass that was asked for. */
  #last: Promise<void> = Promise.resolve();
  /** Appends of this process, one after the other. */
  #appends: Promise<unknown> = Promise.resolve();

  /** @throws SignalboxError `InvalidChannel` */
  constructor(deps: PublisherDeps, channel: DeliveryChannel) {
    const {
      name,
      tenant = 'default',
      types = DELIVERY_TYPES,
      schedule = DEFAULT_SCHEDULE,
      timeout = TIMEOUT,
    } = channel;
    if (!isChannelName(name))
      throw invalidChannel(name, 'its name is not made of lower-case letters, digits and hyphens, 40 at most');
    this.#deps = deps;
    this.#channel = channel;
    this.#filter = { tenant, types: new Set(types) };
    this.#log = new DeliveryLog(deps.store, () => deps.clock.now(), tenant, name);
    this.#waits = parseSchedule(name, schedule);
    this.#timeout = parseWait(name, 'timeout', timeout);
  }

  get stream(): string {
    return this.#log.stream;
  }

  /** From now on, everything that is stored is heard. Resolves once that is durable. */
  async begin(): Promise<void> {
    await this.#log.refresh();
    await this.#append(async ({ cursor }) => {
      const { name: channel } = this.#channel;
      if (cursor !== undefined) return [];
      return [
        {
          type: 'delivery.begun',
          data: { tenant: this.#filter.tenant, channel, cursor: await this.#deps.store.feedEnd() },
        },
      ];
    });
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
    const { clock } = this.#deps;
    const cancel = grace > 0 ? clock.at(clock.now() + grace, () => this.#stopping.abort()) : () => {};
    if (grace <= 0) this.#stopping.abort();
    else await this.wake().catch(error => this.#deps.onError(error, { runId: '' }));
    cancel();
    this.#stopping.abort();
    this.#alarm?.cancel();
    await this.#last;
    await this.#release();
  }

  async #release(): Promise<void> {
    const { owner } = this.#deps;
    await this.#append(async ({ claim }) =>
      claim?.owner === owner ? [{ type: 'delivery.released', data: { owner } }] : [],
    );
  }

  // ── a pass ─────────────────────────────────────────────────────────────────────────────────────────────────

  async #pass(): Promise<void> {
    await this.#log.refresh();
    if (this.#log.record.cursor === undefined) await this.begin();
    for (let isEnd = false; !isEnd && !this.#stopping.signal.aborted; ) {
      if (this.#isClaimedElsewhere()) return this.#ringAt(this.#log.record.claim!.until);
      const span = await this.#readOn();
      await this.#queue(span);
      await this.#sendDue();
      isEnd = span.isEnd && !this.#hasDue();
    }
    this.#awaitNext();
  }

  #isClaimedElsewhere(): boolean {
    const { claim } = this.#log.record;
    return claim !== undefined && claim.owner !== this.#deps.owner && claim.until > this.#deps.clock.now();
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
    const before = this.#recorded;
    if (messages.length === 0 && this.#unrecorded < MOVE_EVERY) {
      this.#read = cursor;
      return;
    }
    await this.#append(async record => {
      // Somebody else has read on meanwhile: read anew from there.
      if (record.cursor !== before) return [];
      if (messages.length === 0) return [{ type: 'delivery.moved', data: { cursor } }];
      return [...this.#claim(), { type: 'delivery.queued', data: { cursor, messages } }];
    });
  }

  /** Claims the channel, unless that was done a moment ago. */
  #claim(): readonly DeliveryEvent[] {
    const { clock, owner, lease } = this.#deps;
    const { claim } = this.#log.record;
    if (claim?.owner === owner && claim.until - clock.now() > lease / 2) return [];
    return [{ type: 'delivery.claimed', data: { owner, until: clock.now() + lease } }];
  }

  // ── sending ────────────────────────────────────────────────────────────────────────────────────────────────

  #hasDue(): boolean {
    return this.#nextDue() !== undefined;
  }

  #nextDue(): WaitingMessage | undefined {
    const now = this.#deps.clock.now();
    for (const message of nextMessages(this.#log.record))
      if (message.due <= now && !this.#underWay.has(message.request)) return message;
    return undefined;
  }

  async #sendDue(): Promise<void> {
    if (!this.#hasDue()) return;
    const { clock, lease } = this.#deps;
    await this.#renew();
    const stopRenewing = clock.every(lease / 3, () => {
      this.#renew().catch(error => this.#deps.onError(error, { runId: '' }));
    });
    try {
      const senders = Array.from({ length: this.#channel.concurrency ?? CONCURRENCY }, () => this.#send());
      const failed = (await Promise.allSettled(senders)).find(result => result.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    } finally {
      stopRenewing();
    }
  }

  async #renew(): Promise<void> {
    await this.#append(async () => (this.#isClaimedElsewhere() ? [] : this.#claim()));
  }

  async #send(): Promise<void> {
    while (!this.#stopping.signal.aborted && !this.#isClaimedElsewhere()) {
      const message = this.#nextDue();
      if (message === undefined) return;
      this.#underWay.add(message.request);
      try {
        const outcome = await this.#attempt(message);
        if (outcome === undefined) return;
        await this.#append(async record => (record.waiting.has(message.id) ? [this.#outcomeOf(message, outcome)] : []));
      } finally {
        this.#underWay.delete(message.request);
      }
    }
  }

  async #attempt(message: WaitingMessage): Promise<DeliveryOutcome | undefined> {
    const { store, clock } = this.#deps;
    try {
      const made = await messageOf(this.#deps, message);
      const requestStatus = (await store.request(message.request))?.status ?? 'open';
      const attempt = { number: message.attempts + 1, requestStatus };
      const limits = { clock, timeout: this.#timeout, stopping: this.#stopping.signal };
      return await attemptDelivery(this.#channel, made, attempt, limits);
    } catch (error) {
      return { status: 'failed', error: errorText(error) };
    }
  }

  #outcomeOf({ id, attempts }: WaitingMessage, outcome: DeliveryOutcome): DeliveryEvent {
    const attempt = attempts + 1;
    switch (outcome.status) {
      case 'delivered': {
        const detail = outcome.detail === undefined ? {} : { detail: oneLine(outcome.detail) };
        return { type: 'delivery.succeeded', data: { id, attempt, ...detail } };
      }
      case 'skipped':
        return { type: 'delivery.skipped', data: { id, attempt, reason: oneLine(outcome.reason) } };
      case 'refused':
        return { type: 'delivery.abandoned', data: { id, attempt, error: oneLine(outcome.error), refused: true } };
      case 'failed': {
        const wish = outcome.retryAfter === undefined ? {} : { wish: outcome.retryAfter };
        const wait = waitAfter(this.#waits, { id, attempt, ...wish });
        const error = oneLine(outcome.error);
        if (wait === undefined) return { type: 'delivery.abandoned', data: { id, attempt, error } };
        return { type: 'delivery.failed', data: { id, attempt, error, next: this.#deps.clock.now() + wait } };
      }
    }
  }

  // ── the record ─────────────────────────────────────────────────────────────────────────────────────────────

  /** `decide` gives what is to be said of the record as it is then; when others were first, it is asked again. */
  #append(decide: (record: DeliveryLog['record']) => Promise<readonly DeliveryEvent[]>): Promise<void> {
    const appended = this.#appends.then(async () => {
      for (let attempt = 1; ; attempt += 1) {
        const events = await decide(this.#log.record);
        if (events.length === 0) return;
        try {
          return await this.#log.append(events, PUBLISHER);
        } catch (error) {
          if (!isStoreConflict(error) || attempt >= ATTEMPTS) throw error;
          await this.#log.refresh();
        }
      }
    });
    // Told to whoever asked for it.
    this.#appends = appended.catch(() => {});
    return appended;
  }

  #awaitNext(): void {
    let next = Number.POSITIVE_INFINITY;
    for (const { due } of nextMessages(this.#log.record)) next = Math.min(next, due);
    if (next !== Number.POSITIVE_INFINITY) this.#ringAt(next);
  }

  #ringAt(at: number): void {
    if (this.#stopping.signal.aborted) return;
    this.#alarm?.cancel();
    const cancel = this.#deps.clock.at(at, () => {
      this.#alarm = undefined;
      this.wake().catch(error => this.#deps.onError(error, { runId: '' }));
    });
    this.#alarm = { at, cancel };
  }
}
