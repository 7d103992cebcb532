import { type IntentClassifier, languageOf } from '@signalbox/example-shared';
import { defineNodeType, type NodeType } from 'signalbox';
import { z } from 'zod';
import { composeReply } from './compose-reply.ts';
import type { FaqSearch } from './faq-search.ts';
import type { TicketStore } from './ticket-store.ts';
import { INTENTS, type Intent } from './utterance.ts';

/** What the desk's nodes work with. */
export interface DeskServices {
  readonly classifier: Pick<IntentClassifier<Intent>, 'classify'>;
  readonly faq: FaqSearch;
  readonly tickets: TicketStore;
}

const share = z.number().min(0).max(1);
const guess = z.object({ intent: z.enum(INTENTS), confidence: share });
const classified = guess.extend({ lang: z.enum(['en', 'zh']), alternatives: z.array(guess) });
const searched = z.object({
  found: z.boolean(),
  hits: z.array(z.object({ id: z.string(), question: z.string(), answer: z.string() })),
});
const ticket = z.object({ id: z.string(), kind: z.string(), detail: z.string() });
const query = z.object({ query: z.string() });
const wish = z.object({ kind: z.string(), detail: z.string() });
const told = z.object({ lang: z.enum(['en', 'zh']), done: z.array(z.string()) });

const rounded = (confidence: number) => Math.round(confidence * 1000) / 1000;

/** The code behind `support-desk.yaml`. */
export function createNodeTypes({ classifier, faq, tickets }: DeskServices): NodeType[] {
  return [
    defineNodeType({
      type: 'intent-classifier',
      with: z.object({ labels: z.array(z.enum(INTENTS)).min(1) }),
      output: classified,
      execute: ctx => {
        const { message } = z.object({ message: z.string() }).parse(ctx.input);
        const { intent, confidence, alternatives } = classifier.classify(message);
        return {
          // What this desk has no label for is unknown to it.
          intent: ctx.with.labels.includes(intent) ? intent : ('unknown' as const),
          confidence: rounded(confidence),
          lang: languageOf(message),
          alternatives: alternatives.map(other => ({ ...other, confidence: rounded(other.confidence) })),
        };
      },
    }),
    defineNodeType({
      type: 'faq-search',
      output: searched,
      execute: ctx => {
        const hits = faq.search(query.parse(ctx.given).query);
        return { found: hits.length > 0, hits: hits.map(({ id, question, answer }) => ({ id, question, answer })) };
      },
    }),
    defineNodeType({
      type: 'create-ticket',
      output: ticket,
      // The intent is durable before the ticket is; after a crash in between the store is asked again with the same
      // key, and gives the ticket it may have stored already.
      execute: async ctx =>
        await ctx.run(
          'create-ticket',
          ({ idempotencyKey }) => tickets.create({ key: idempotencyKey, ...wish.parse(ctx.given) }),
          { once: true, onDoubt: 'retry', args: ctx.given },
        ),
    }),
    defineNodeType({
      type: 'compose-reply',
      output: z.object({ reply: z.string() }),
      execute: ctx => {
        const { lang, done } = told.parse(ctx.given);
        return {
          reply: composeReply(lang, {
            done,
            queue: z.object({ queue: z.string().optional() }).parse(ctx.state).queue,
            hit: searched.safeParse(ctx.nodes.faq?.output).data?.hits[0],
            ticket: ticket.safeParse(ctx.nodes.createTicket?.output).data,
            failed: Object.entries(ctx.nodes).flatMap(([name, node]) => (node?.status === 'failed' ? [name] : [])),
          }),
        };
      },
    }),
  ];
}
