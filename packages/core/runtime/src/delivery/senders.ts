import type { DeliveryChannel, DeliveryOutcome } from '@signalbox/ports';
import { attemptDelivery, errorText } from './attempt.ts';
import type { Claimant, ClaimedLog } from './claimed-log.ts';
import { nextMessages, type WaitingMessage } from './delivery-record.ts';
import { type MessageSources, messageOf } from './message.ts';
import { outcomeEvent } from './outcome-event.ts';

export interface SenderSettings {
  readonly channel: DeliveryChannel;
  readonly waits: readonly number[];
  /** Time limit of an attempt, ms. */
  readonly timeout: number;
  readonly concurrency: number;
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal;
  /** A sender has nothing more to do for now. */
  onRest(): void;
  onError(error: unknown): void;
}

/**
 * Send what is due, several requests at once.
 *  1. A message leaves the queue only by a recorded outcome.
 *  2. Of one request at most one message is under way, the first that waits.
 *  3. The claim is renewed as long as something is under way; who finds it lost begins nothing more.
 */
export class Senders {
  readonly #deps: Claimant & MessageSources;
  readonly #log: ClaimedLog;
  readonly #settings: SenderSettings;
  /** Requests with a message under way. */
  readonly #underWay = new Set<string>();
  readonly #atWork = new Set<Promise<void>>();
  #stopRenewing = () => {};

  constructor(deps: Claimant & MessageSources, log: ClaimedLog, settings: SenderSettings) {
    this.#deps = deps;
    this.#log = log;
    this.#settings = settings;
  }

  /** Lets senders begin with what is due; does not wait for them. */
  start(): void {
    if (this.#atWork.size === 0 && this.#due() !== undefined) {
      const { clock, lease } = this.#deps;
      this.#stopRenewing = clock.every(lease / 3, () => {
        this.#log.renew().catch(error => this.#settings.onError(error));
      });
    }
    // More of them than messages do no harm: one that finds nothing ends.
    while (this.#atWork.size < this.#settings.concurrency && this.#due() !== undefined) this.#begin();
  }

  #begin(): void {
    const sending = this.#send().then(
      () => true,
      error => {
        this.#settings.onError(error);
        return false;
      },
    );
    const atWork = sending.then(isRest => {
      this.#atWork.delete(atWork);
      if (this.#atWork.size === 0) this.#stopRenewing();
      // After an error somebody else looks again, later.
      if (isRest) this.#settings.onRest();
    });
    this.#atWork.add(atWork);
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#atWork.size > 0) await Promise.all(this.#atWork);
  }

  /** When the next message is due that has to wait for its time; undefined: none has. */
  nextAt(): number | undefined {
    const now = this.#deps.clock.now();
    let next: number | undefined;
    for (const { due, request } of nextMessages(this.#log.record))
      if (due > now && !this.#underWay.has(request)) next = Math.min(due, next ?? due);
    return next;
  }

  #due(): WaitingMessage | undefined {
    const now = this.#deps.clock.now();
    for (const message of nextMessages(this.#log.record))
      if (message.due <= now && !this.#underWay.has(message.request)) return message;
    return undefined;
  }

  async #send(): Promise<void> {
    await this.#log.renew();
    while (!this.#settings.stopping.aborted && this.#log.claimedElsewhere() === undefined) {
      const message = this.#due();
      if (message === undefined) return;
      this.#underWay.add(message.request);
      try {
        const outcome = await this.#attempt(message);
        if (outcome === undefined) return;
        await this.#record(message, outcome);
      } finally {
        this.#underWay.delete(message.request);
      }
    }
  }

  async #attempt(message: WaitingMessage): Promise<DeliveryOutcome | undefined> {
    const { store, clock } = this.#deps;
    const { channel, timeout, stopping } = this.#settings;
    try {
      const made = await messageOf(this.#deps, message);
      const requestStatus = (await store.request(message.request))?.status ?? 'open';
      const attempt = { number: message.attempts + 1, requestStatus };
      return await attemptDelivery(channel, made, attempt, { clock, timeout, stopping });
    } catch (error) {
      return { status: 'failed', error: errorText(error) };
    }
  }

  /** What another process has recorded meanwhile, or somebody has discarded, is not recorded again. */
  async #record(message: WaitingMessage, outcome: DeliveryOutcome): Promise<void> {
    const { waits } = this.#settings;
    await this.#log.append(({ waiting }) =>
      waiting.get(message.id)?.attempts === message.attempts
        ? [outcomeEvent(message, outcome, { waits, now: this.#deps.clock.now() })]
        : [],
    );
  }
}
