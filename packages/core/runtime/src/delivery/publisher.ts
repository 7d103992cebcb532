import type { DeliveryChannel } from '@signalbox/ports';
import { ChannelPublisher, type PublisherDeps } from './channel-publisher.ts';
import { invalidChannel } from './invalid-channel.ts';

/** How long a sender counts as alive after its last sign of life, ms. */
export const DELIVERY_LEASE = 15_000;

/**
 * The channels of one process.
 *  1. What is stored after a channel was added is heard by it, whatever dies after `begin` resolved.
 *  2. It is told of new work as it is committed, here or elsewhere, and looks for it now and then without being told.
 */
export class Publisher {
  readonly #deps: PublisherDeps;
  readonly #channels = new Map<string, ChannelPublisher>();
  readonly #begins = new Map<string, Promise<void>>();
  #stopWatching: (() => void)[] = [];
  /** Somebody has asked for publishing to begin: a channel that is added later begins at once. */
  #isAtWork = false;
  #isWatching = false;
  #isStopped = false;

  constructor(deps: PublisherDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the way to take it out again.
   *
   * @throws SignalboxError `InvalidChannel`, also when there is one of this name and tenant.
   */
  add(channel: DeliveryChannel): () => Promise<void> {
    const publisher = new ChannelPublisher(this.#deps, channel);
    const { stream } = publisher;
    if (this.#channels.has(stream)) throw invalidChannel(channel.name, 'there is another of this name');
    this.#channels.set(stream, publisher);
    if (this.#isAtWork) this.begin().catch(error => this.#deps.onError(error, { runId: stream }));
    return async () => {
      if (this.#channels.get(stream) !== publisher) return;
      this.#channels.delete(stream);
      this.#begins.delete(stream);
      await publisher.stop(0);
    };
  }

  async begin(): Promise<void> {
    this.#isAtWork = true;
    if (this.#channels.size === 0 || this.#isStopped) return;
    this.#watch();
    await Promise.all([...this.#channels].map(([stream, channel]) => this.#begun(stream, channel)));
  }

  /** Before anything that may fail: a channel that could not begin is woken, and begins, later. */
  #watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const { store, clock, lease } = this.#deps;
    const wake = () => this.wake();
    this.#stopWatching = [store.onForeignCommit(wake), clock.every(lease, wake)];
  }

  #begun(stream: string, channel: ChannelPublisher): Promise<void> {
    const known = this.#begins.get(stream);
    if (known !== undefined) return known;
    const begun = channel.begin().then(
      () => this.#wakeOne(channel),
      error => {
        this.#begins.delete(stream); // A store that cannot be reached now may be reached by the next who asks.
        throw error;
      },
    );
    this.#begins.set(stream, begun);
    return begun;
  }

  wake(): void {
    for (const channel of this.#channels.values()) this.#wakeOne(channel);
  }

  /** What was given up is to be sent after all. Who does not publish does not begin to for that. */
  lookAgain(): void {
    if (this.#isAtWork) this.wake();
  }

  #wakeOne(channel: ChannelPublisher): void {
    channel.wake().catch(error => this.#deps.onError(error, { runId: channel.stream }));
  }

  async stop(grace: number): Promise<void> {
    this.#isStopped = true;
    for (const stop of this.#stopWatching) stop();
    const stopped = await Promise.allSettled([...this.#channels.values()].map(channel => channel.stop(grace)));
    for (const result of stopped) if (result.status === 'rejected') this.#deps.onError(result.reason, { runId: '' });
  }
}
