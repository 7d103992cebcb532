import type { DeliveryOutcome } from '@signalbox/ports';
import { oneLine } from './attempt.ts';
import type { DeliveryEvent } from './delivery-event.ts';
import type { WaitingMessage } from './delivery-record.ts';
import { waitAfter } from './retry-schedule.ts';

/** What an attempt that has just ended leaves in the log. `now` is epoch ms. */
export function outcomeEvent(
  { id, attempts }: Pick<WaitingMessage, 'id' | 'attempts'>,
  outcome: DeliveryOutcome,
  { waits, now }: { readonly waits: readonly number[]; readonly now: number },
): DeliveryEvent {
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
      const wait = waitAfter(waits, { id, attempt, ...wish });
      const error = oneLine(outcome.error);
      if (wait === undefined) return { type: 'delivery.abandoned', data: { id, attempt, error } };
      return { type: 'delivery.failed', data: { id, attempt, error, next: now + wait } };
    }
  }
}
