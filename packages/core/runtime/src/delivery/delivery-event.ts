import type { DeliveryType } from '@signalbox/ports';

/** One message of a channel: what is needed to make it from the log. Its id is `messageId(run, seq)`. */
export interface QueuedMessage {
  readonly run: string;
  /** Of the event that it tells of. */
  readonly seq: number;
  readonly type: DeliveryType;
  readonly request: string;
}

/** Type → data of every event in the stream of a channel. Times are epoch ms. */
export interface DeliveryEvents {
  /** The channel hears what is stored behind `cursor`, a place in the store's feed. */
  'delivery.begun': { readonly tenant: string; readonly channel: string; readonly cursor: string };
  /** `owner` sends until then, or until it says otherwise. */
  'delivery.claimed': { readonly owner: string; readonly until: number };
  'delivery.released': { readonly owner: string };
  /** All that the feed held up to `cursor` for this channel and was not queued before. */
  'delivery.queued': { readonly cursor: string; readonly messages: readonly QueuedMessage[] };
  /** Nothing was for this channel up to `cursor`. */
  'delivery.moved': { readonly cursor: string };
  'delivery.succeeded': { readonly id: string; readonly attempt: number; readonly detail?: string };
  'delivery.skipped': { readonly id: string; readonly attempt: number; readonly reason: string };
  'delivery.failed': {
    readonly id: string;
    readonly attempt: number;
    readonly error: string;
    /** When the next attempt is due. */
    readonly next: number;
  };
  /** A dead letter: no more attempts, or the receiver will never take it (`refused`). */
  'delivery.abandoned': {
    readonly id: string;
    readonly attempt: number;
    readonly error: string;
    readonly refused?: true;
  };
  /** Somebody wants a dead letter tried anew, from the first attempt on. */
  'delivery.requeued': { readonly id: string };
  /** Somebody wants a dead letter out of the list. */
  'delivery.discarded': { readonly id: string; readonly reason: string };
}

export type DeliveryEventType = keyof DeliveryEvents;

export type DeliveryEvent = {
  [Type in DeliveryEventType]: { readonly type: Type; readonly data: DeliveryEvents[Type] };
}[DeliveryEventType];

export function messageId({ run, seq }: Pick<QueuedMessage, 'run' | 'seq'>): string {
  return `msg_${run}_${seq}`;
}
