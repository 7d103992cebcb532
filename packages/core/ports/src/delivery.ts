import type { Action, Field, Gap, JsonObject, JsonValue, Principal, RequestKind } from '@signalbox/kernel';

/**
 * A channel publishes what happens to decision requests: to a function, a webhook, a mailbox.
 *
 *  1. `deliver` is called at least once for each message, and again under the same id after a failure or a crash. The
 *     receiver drops what it has seen.
 *  2. Of one request, messages come in the order of its events; the next one only when the one before is done or given up.
 *  3. `deliver` stops at `attempt.signal`; an attempt that has not settled a moment later counts as failed.
 *  4. What it throws is a failed attempt. Neither outcomes nor errors hold secrets: both are recorded.
 *  5. Nothing that a receiver answers decides a request. Answers come by the front door only.
 */
export interface DeliveryChannel {
  /** `[a-z][a-z0-9-]*`, at most 40 characters. Names its record: the same in every process that serves it. */
  readonly name: string;
  /** Whose requests; default `default`. */
  readonly tenant?: string;
  /** What it hears of; default everything. */
  readonly types?: readonly DeliveryType[];
  /** Waits before the 2nd, 3rd … attempt, as durations; none: a single attempt. Default: that of Standard Webhooks. */
  readonly schedule?: readonly string[];
  /** How long an attempt may take, as a duration; default `30s`. */
  readonly timeout?: string;
  /** Requests that are being published at once; default 4. */
  readonly concurrency?: number;
  deliver(message: DeliveryMessage, attempt: DeliveryAttempt): Promise<DeliveryOutcome>;
}

export const DELIVERY_TYPES = [
  'request.opened',
  'request.reminded',
  'request.escalated',
  'request.answered',
  'request.expired',
  'request.withdrawn',
] as const;

/** The event that the message tells of. */
export type DeliveryType = (typeof DELIVERY_TYPES)[number];

/** The same fact has the same id and content at every attempt, in every process. */
export interface DeliveryMessage {
  readonly id: string;
  readonly type: DeliveryType;
  /** When it happened, RFC 3339 in UTC. */
  readonly at: string;
  readonly tenant: string;
  readonly run: { readonly id: string; readonly graph: string };
  readonly session?: string;
  /** As it was right after the event; of one that the event closed, right before. */
  readonly request: DeliveredRequest;
  /** Of `request.answered`: what was decided, never the values. */
  readonly answer?: { readonly action: Action; readonly by: Principal; readonly at: string };
  /** Of `request.withdrawn` and `request.expired`. */
  readonly reason?: string;
  /** What was left out of `request` because the message would have been too large. */
  readonly truncated?: readonly string[];
}

/** A request as the inbox shows it, without `context` and without what is sensitive. */
export interface DeliveredRequest {
  readonly id: string;
  readonly kind: RequestKind;
  readonly title: string;
  readonly message?: string;
  readonly gap?: Gap;
  readonly summary?: string;
  readonly purpose?: string;
  readonly fields: readonly Field[];
  readonly displays?: readonly JsonObject[];
  readonly actions?: Readonly<Partial<Record<Action, string>>>;
  readonly proposal?: JsonValue;
  /** Empty: anybody entitled. */
  readonly assignees: readonly string[];
  readonly openedAt: string;
  readonly deadline?: string;
  readonly node: string;
  readonly subject?: string;
}

export interface DeliveryAttempt {
  /** 1, 2, … */
  readonly number: number;
  /** Aborted at the time limit, and when the process stops. */
  readonly signal: AbortSignal;
  /** How the request stands now, which may be later than what the message tells. */
  readonly requestStatus: 'open' | 'answered' | 'expired' | 'withdrawn' | 'superseded';
}

export type DeliveryOutcome =
  | { readonly status: 'delivered'; readonly detail?: string }
  /** There is nobody to tell, or nothing to tell any more. */
  | { readonly status: 'skipped'; readonly reason: string }
  /** Worth another try, not before `retryAfter` ms have passed. */
  | { readonly status: 'failed'; readonly error: string; readonly retryAfter?: number }
  /** It will never be taken: a dead letter at once. */
  | { readonly status: 'refused'; readonly error: string };
