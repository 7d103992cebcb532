import { formatDuration, isSignalboxError } from '@signalbox/kernel';
import type { Clock, DeliveryAttempt, DeliveryChannel, DeliveryMessage, DeliveryOutcome } from '@signalbox/ports';

/** After its time limit an attempt may take this much longer to tell how it ended, ms. */
const AFTERTIME = 1_000;
const MOST_TEXT = 500;

export interface AttemptLimits {
  readonly clock: Clock;
  readonly timeout: number;
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal;
}

/** One attempt within its time limit. Whatever goes wrong is an outcome; undefined: it was stopped and nobody knows. */
export async function attemptDelivery(
  channel: DeliveryChannel,
  message: DeliveryMessage,
  attempt: Omit<DeliveryAttempt, 'signal'>,
  { clock, timeout, stopping }: AttemptLimits,
): Promise<DeliveryOutcome | undefined> {
  const controller = new AbortController();
  const until = clock.now() + timeout;
  const tooLong = `It took longer than ${formatDuration(timeout)}.`;
  const { promise: ended, resolve: end } = outcomeFromOutside();
  let isLate = false;
  const stop = () => {
    controller.abort();
    // What has just been delivered may still say so.
    clock.soon(() => end(undefined));
  };
  stopping.addEventListener('abort', stop);
  if (stopping.aborted) stop();
  const cancels = [
    clock.at(until, () => {
      isLate = true;
      controller.abort();
    }),
    clock.at(until + AFTERTIME, () => end({ status: 'failed', error: tooLong })),
  ];
  try {
    const outcome = await Promise.race([deliver(channel, message, { ...attempt, signal: controller.signal }), ended]);
    if (outcome?.status !== 'failed') return outcome;
    if (stopping.aborted) return undefined;
    return isLate ? { ...outcome, error: tooLong } : outcome;
  } finally {
    for (const cancel of cancels) cancel();
    stopping.removeEventListener('abort', stop);
  }
}

interface OutcomeFromOutside {
  readonly promise: Promise<DeliveryOutcome | undefined>;
  readonly resolve: (outcome: DeliveryOutcome | undefined) => void;
}

function outcomeFromOutside(): OutcomeFromOutside {
  let resolve: OutcomeFromOutside['resolve'] = () => {};
  const promise = new Promise<DeliveryOutcome | undefined>(settle => {
    resolve = settle;
  });
  return { promise, resolve };
}

async function deliver(
  channel: DeliveryChannel,
  message: DeliveryMessage,
  attempt: DeliveryAttempt,
): Promise<DeliveryOutcome> {
  try {
    return await channel.deliver(message, attempt);
  } catch (error) {
    return { status: 'failed', error: errorText(error) };
  }
}

/** One line, and not a long one: it stands in the log. */
export function errorText(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  const code = isSignalboxError(error) ? `${error.code}: ` : '';
  return oneLine(code + text);
}

export function oneLine(text: string): string {
  return [...text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()].slice(0, MOST_TEXT).join('');
}
