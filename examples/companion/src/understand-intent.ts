import type { Guess, IntentClassifier } from '@signalbox/example-shared';
import { z } from 'zod';
import { INTENTS, type Intent } from './utterance.ts';

/** From this confidence on an intent is acted upon; below it the companion asks what is meant. */
export const SURE = 0.5;

/** What lacks when it is not clear what is wanted. */
export const INTENT_GAP = 'companion.intent';

export interface Understood {
  readonly intent: Intent;
  readonly confidence: number;
  readonly decidedBy: string;
}

/** Those that the record tells of. */
const MOST_ALTERNATIVES = 3;

const chosen = z.object({ choice: z.enum(INTENTS) });
/** `music.taste` is a question of the intent `music`. */
const intentOf = (gap: string) => INTENTS.find(intent => gap.startsWith(`${intent}.`));

/** Whoever said what is meant, or answered a question about it, has made it certain: nothing is classified then. */
export function intentFromAnswers(known: Readonly<Record<string, unknown>>): Understood | undefined {
  const said = chosen.safeParse(known[INTENT_GAP]).data?.choice;
  const intent = said ?? Object.keys(known).map(intentOf).find(Boolean);
  return intent === undefined ? undefined : { intent, confidence: 1, decidedBy: 'rule:answered' };
}

export function intentFromMessage(
  classifier: Pick<IntentClassifier<Intent>, 'classify'>,
  message: string,
): Understood & { readonly alternatives: Guess<Intent>[] } {
  const { intent, confidence, alternatives } = classifier.classify(message);
  return {
    intent,
    confidence: rounded(confidence),
    decidedBy: 'model:naive-bayes',
    alternatives: alternatives
      .slice(0, MOST_ALTERNATIVES)
      .map(other => ({ ...other, confidence: rounded(other.confidence) })),
  };
}

function rounded(confidence: number): number {
  return Math.round(confidence * 1000) / 1000;
}
