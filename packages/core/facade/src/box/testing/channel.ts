import type { JsonObject } from '@signalbox/kernel';
import type { DeliveryAttempt, DeliveryChannel, DeliveryMessage, DeliveryOutcome } from '@signalbox/ports';
import { z } from 'zod';
import { defineGraph } from '../../builder/define-graph.ts';

/** A run of it asks one question and ends with its answer. */
export function askingGraph(displays: readonly JsonObject[] = []) {
  const graph = defineGraph({ name: 'refund', input: z.object({}) });
  const review = graph.ask({
    kind: 'form',
    title: 'How much do we refund?',
    displays,
    message: 'Order R-17',
    assign: 'role:finance',
    context: { internal: 'for programs' },
    fields: [{ name: 'amount', type: 'number', label: 'Amount', required: true, max: 500 }],
    proposal: { values: { amount: 20 }, confidence: 0.5 },
    deadline: { after: '2h', onExpire: 'escalate', to: ['role:lead'] },
  });
  return graph.build({ entry: 'review', nodes: { review }, routes: {} });
}

export interface Sent {
  readonly message: DeliveryMessage;
  readonly attempt: DeliveryAttempt;
}

export interface ScriptedChannel extends DeliveryChannel {
  readonly sent: readonly Sent[];
  /** `type#attempt` of each, in order. */
  readonly story: readonly string[];
}

type Script = (message: DeliveryMessage, attempt: DeliveryAttempt) => DeliveryOutcome | Promise<DeliveryOutcome>;

export const delivered = (): DeliveryOutcome => ({ status: 'delivered' });
export const fails = (): DeliveryOutcome => ({ status: 'failed', error: 'no answer' });

/** A channel that does as it is told and keeps what it was given. */
export function scriptedChannel(
  script: Script = delivered,
  options: Partial<Omit<DeliveryChannel, 'deliver'>> = {},
): ScriptedChannel {
  const sent: Sent[] = [];
  return {
    name: 'desk',
    ...options,
    sent,
    get story() {
      return sent.map(({ message, attempt }) => `${message.type.slice('request.'.length)}#${attempt.number}`);
    },
    async deliver(message, attempt) {
      sent.push({ message, attempt });
      return await script(message, attempt);
    },
  };
}
