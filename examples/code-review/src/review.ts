import { conversation, transcript } from 'signalbox';
import { z } from 'zod';

export const LANGUAGES = ['en', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The form of every turn of every reviewer; what does not fit is sent back and heard by nobody. */
export const reviewSchema = z.object({ comment: z.string().min(1), verdict: z.enum(['approve', 'change']) });
export type Review = z.output<typeof reviewSchema>;

const REVIEWERS = {
  ada: 'You are Ada. You want errors to reach whoever can act on them, as they are.',
  bob: 'You are Bob. You want an interface that tells its callers nothing of what is behind it.',
} as const;
export type Reviewer = keyof typeof REVIEWERS;

const REPLY_IN = { en: 'Comment in English.', zh: '用中文评论。' };
const CONTRACT = { version: '1.0', agent_name: 'reviewer', allowed_tools: [] };

export type ReviewGraph = ReturnType<typeof createReview>;

/**
 * Two reviewers talk about a change until both approve, or the moderator ends it.
 *  1. Nobody but a person and the moderator ends it otherwise; why stands in its output and in the decision `end`.
 *  2. A person is heard at any turn (signal `speak`), and is asked after turn `ask` where the input has one.
 */
export function createReview(model: string) {
  return conversation({
    name: 'code-review',
    input: z.object({
      change: z.string(),
      language: z.enum(LANGUAGES).default('en'),
      ask: z.number().int().min(1).optional(),
    }),
    speakers: talk => {
      const reviewer = (name: Reviewer) =>
        talk.agent({
          model,
          contract: CONTRACT,
          timeout: '5m',
          system: ({ input }) =>
            `${REVIEWERS[name]} One finding in each turn, in one or two sentences. A person, where one speaks, has the last word. ${REPLY_IN[input.language]}`,
          prompt: ({ input, state }) =>
            `The change:\n${input.change}\n\nThe conversation so far:\n${transcript(state.turns)}\n\nYour turn, ${name}.`,
          output: reviewSchema,
        });
      return { ada: reviewer('ada'), bob: reviewer('bob') };
    },
    maxTurns: 12,
    until: "nodes.ada.output.verdict.orValue('') == 'approve' && nodes.bob.output.verdict.orValue('') == 'approve'",
    person: { ask: 'has(input.ask) && state.turns.size() == input.ask', title: 'Step in?' },
  });
}
