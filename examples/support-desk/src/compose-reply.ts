import type { Language } from '@signalbox/example-shared';
import { words } from './words.ts';

/** What became of a message. */
export interface CaseFacts {
  /** What was done, in order, as `trail` in the graph's state tells: `answered`, `ticket`, `handedOver`. */
  readonly done: readonly string[];
  readonly queue?: string | undefined;
  readonly hit?: { readonly question: string; readonly answer: string } | undefined;
  readonly ticket?: { readonly id: string; readonly kind: string; readonly detail: string } | undefined;
  /** Names of the nodes that failed. */
  readonly failed: readonly string[];
}

/** Sums up for the customer what was done, in order, and what could not be. */
export function composeReply(lang: Language, { done, queue, hit, ticket, failed }: CaseFacts): string {
  const { reply } = words(lang);
  const sentences = done.map(step => {
    if (step === 'answered' && hit !== undefined) return reply.answered(hit);
    if (step === 'ticket' && ticket !== undefined) return reply.ticket(ticket);
    if (step === 'handedOver' && queue !== undefined) return reply.handedOver(queue);
    return '';
  });
  if (failed.includes('createTicket')) sentences.unshift(reply.noTicket);
  if (failed.includes('handoff')) sentences.push(reply.nobodyInTime);
  else if (done.length === 0) sentences.push(reply.closed);
  return sentences.filter(sentence => sentence !== '').join(lang === 'zh' ? '' : ' ');
}
