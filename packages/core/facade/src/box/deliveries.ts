import { checkOptions } from '@signalbox/kernel';
import type { DeliveryAttempt, DeliveryChannel, DeliveryMessage } from '@signalbox/ports';
import {
  type DeliveryQuery,
  type DeliveryRow,
  discardDeliveries,
  type Engine,
  listDeliveries,
  retryDeliveries,
} from '@signalbox/runtime';
import { DELIVERIES, SELECTION } from './call-options.ts';
import type { DeliverySelection, ListenerOptions } from './delivery-options.ts';
import { toPrincipal } from './principal.ts';

/** What became of messages about requests. */
export class Deliveries {
  readonly #engine: Engine;
  readonly #publish: () => void;

  /** @param publish has whoever publishes here look for what there is to send. */
  constructor(engine: Engine, publish: () => void) {
    this.#engine = engine;
    this.#publish = publish;
  }

  /** Messages that are not delivered: those that wait for their next attempt, and the dead letters. */
  async list(query: DeliveryQuery = {}): Promise<readonly DeliveryRow[]> {
    checkOptions('box.deliveries.list', query, DELIVERIES);
    return await listDeliveries(this.#engine.store, query);
  }

  /** Dead letters are tried anew, at once, by whoever serves their channel. Returns how many. */
  async retry(selection: DeliverySelection = {}): Promise<number> {
    const count = await retryDeliveries(this.#engine.store, this.#change(selection));
    if (count > 0) this.#publish();
    return count;
  }

  /** Dead letters leave the list. Returns how many. */
  async discard(selection: DeliverySelection & { readonly reason: string }): Promise<number> {
    return await discardDeliveries(this.#engine.store, { ...this.#change(selection), reason: selection.reason });
  }

  #change(whole: DeliverySelection) {
    checkOptions('box.deliveries', whole, SELECTION);
    const { as, ...selection } = whole;
    return { ...selection, now: this.#engine.clock.now(), by: toPrincipal(as) };
  }
}

/** Called at least once for each message; returning is taking it, throwing is asking for it again. */
export type RequestListener = (message: DeliveryMessage, attempt: DeliveryAttempt) => void | Promise<void>;

/** A function of this process as a channel. */
export function listenerChannel(name: string, listener: RequestListener, options: ListenerOptions): DeliveryChannel {
  return {
    ...options,
    name,
    async deliver(message, attempt) {
      await listener(message, attempt);
      return { status: 'delivered' };
    },
  };
}
