import type { StoredEvent } from '@signalbox/kernel';
import {
  type DeliveryEvent,
  type DeliveryEvents,
  type DeliveryEventType,
  messageId,
  type QueuedMessage,
} from './delivery-event.ts';

export interface WaitingMessage extends QueuedMessage {
  readonly id: string;
  /** Attempts made. */
  readonly attempts: number;
  /** Epoch ms. */
  readonly queuedAt: number;
  readonly due: number;
  /** Of the last attempt. */
  readonly error?: string;
}

export interface AbandonedMessage extends Omit<WaitingMessage, 'due'> {
  readonly abandonedAt: number;
  readonly error: string;
}

/**
 * The fold of a channel's stream.
 *  1. `waiting` is in the order of queueing: of one request the first is the next to be sent.
 *  2. `abandoned` holds the newest dead letters, `MOST_ABANDONED` at most; older ones are in the log alone.
 */
export interface DeliveryRecord {
  /** Undefined: the channel was never begun. */
  cursor: string | undefined;
  claim: { readonly owner: string; readonly until: number } | undefined;
  readonly waiting: Map<string, WaitingMessage>;
  readonly abandoned: Map<string, AbandonedMessage>;
}

const MOST_ABANDONED = 10_000;

export function emptyRecord(): DeliveryRecord {
  return { cursor: undefined, claim: undefined, waiting: new Map(), abandoned: new Map() };
}

type Fold = {
  readonly [Type in DeliveryEventType]: (record: DeliveryRecord, data: DeliveryEvents[Type], at: number) => void;
};

const FOLD: Fold = {
  'delivery.begun': moveTo,
  'delivery.moved': moveTo,
  'delivery.claimed': (record, { owner, until }) => {
    record.claim = { owner, until };
  },
  'delivery.released': (record, { owner }) => {
    if (record.claim?.owner === owner) record.claim = undefined;
  },
  'delivery.queued': (record, { cursor, messages }, at) => {
    record.cursor = cursor;
    for (const message of messages) {
      const id = messageId(message);
      record.waiting.set(id, { ...message, id, attempts: 0, queuedAt: at, due: at });
    }
  },
  'delivery.succeeded': done,
  'delivery.skipped': done,
  'delivery.failed': (record, { id, attempt, error, next }) => {
    const message = record.waiting.get(id);
    if (message !== undefined) record.waiting.set(id, { ...message, attempts: attempt, due: next, error });
  },
  'delivery.abandoned': (record, { id, attempt, error }, at) => {
    const message = record.waiting.get(id);
    if (message === undefined) return;
    const { due: _, ...rest } = message;
    record.waiting.delete(id);
    record.abandoned.set(id, { ...rest, attempts: attempt, abandonedAt: at, error });
    for (const oldest of record.abandoned.keys()) {
      if (record.abandoned.size <= MOST_ABANDONED) return;
      record.abandoned.delete(oldest);
    }
  },
  'delivery.requeued': (record, { id }, at) => {
    const message = record.abandoned.get(id);
    if (message === undefined) return;
    const { abandonedAt: _, ...rest } = message;
    record.abandoned.delete(id);
    record.waiting.set(id, { ...rest, attempts: 0, due: at });
  },
  'delivery.discarded': (record, { id }) => {
    record.abandoned.delete(id);
  },
};

function moveTo(record: DeliveryRecord, { cursor }: { readonly cursor: string }): void {
  record.cursor = cursor;
}

function done(record: DeliveryRecord, { id }: { readonly id: string }): void {
  record.waiting.delete(id);
}

/** Applies an event that is known; one of a later release says nothing to this one. `at` is its commit's, epoch ms. */
export function applyDelivery(record: DeliveryRecord, event: StoredEvent | DeliveryEvent, at: number): void {
  if (!Object.hasOwn(FOLD, event.type)) return;
  const apply = FOLD[event.type as DeliveryEventType] as (record: DeliveryRecord, data: unknown, at: number) => void;
  apply(record, event.data, at);
}

/** Of each request the message that is next, in the order of queueing. */
export function* nextMessages(record: DeliveryRecord): Generator<WaitingMessage> {
  const seen = new Set<string>();
  for (const message of record.waiting.values()) {
    if (seen.has(message.request)) continue;
    seen.add(message.request);
    yield message;
  }
}
