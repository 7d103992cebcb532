import { type IntentClassifier, languageOf } from '@signalbox/example-shared';
import { z } from 'zod';
import { companion } from '../companion-builder.ts';
import { knownAnswers } from '../known-answers.ts';
import { intentFromAnswers, intentFromMessage } from '../understand-intent.ts';
import { INTENTS, type Intent } from '../utterance.ts';

export const understoodSchema = z.object({ intent: z.enum(INTENTS), confidence: z.number(), decidedBy: z.string() });

/** What is wanted: from an answer where there is one, else from the trained classifier. */
export function intentNode(classifier: Pick<IntentClassifier<Intent>, 'classify'>) {
  return companion.step({ output: understoodSchema, timeout: '30s' }, async ctx => {
    const { message } = ctx.input;
    const known = intentFromAnswers(knownAnswers(ctx.answers));
    const guess = known ?? (await ctx.run('classify', () => intentFromMessage(classifier, message)));
    const { intent: chosen, confidence, decidedBy } = guess;
    ctx.decide('intent', { chosen, options: [...INTENTS], confidence, decidedBy });
    ctx.update({ intent: chosen, lang: languageOf(message) });
    return { intent: chosen, confidence, decidedBy };
  });
}
