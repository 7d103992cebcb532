import type { IntentClassifier } from '@signalbox/example-shared';
import { z } from 'zod';
import { INTENTS, type Intent } from './utterance.ts';

/** From this confidence on an intent is acted upon; below it the companion asks what is meant. */
export const SURE = 0.5;

/** What lacks when it is not clear what is wanted. */
export const INTENT_GAP = 'companion.intent';

export interface Understood {
  readonly intent: Intent;
  readonly confidence: number;
  readonly alternatives: readonly { readonly intent: Intent; readonly confidence: number }[];
  readonly decidedBy: string;
}

const chosen = z.object({ choice: z.enum(INTENTS) });
/** `music.taste` is a question of the intent `music`. */
const intentOf = (gap: string) => INTENTS.find(intent => gap.startsWith(`${intent}.`));

/**
 * What the message is about. Answers outweigh the classifier: whoever said what is meant, or answered a question about it, has made it
 * certain.
 */
export function understandIntent(
  classifier: Pick<IntentClassifier<Intent>, 'classify'>,
  message: string,
  known: Readonly<Record<string, unknown>>,
): Understood {
  const said = chosen.safeParse(known[INTENT_GAP]).data?.choice;
  const asked = Object.keys(known).map(intentOf).find(Boolean);
  const sure = said ?? asked;
  if (sure !== undefined) return { intent: sure, confidence: 1, alternatives: [], decidedBy: 'rule:answered' };
  const { intent, confidence, alternatives } = classifier.classify(message);
  return {
    intent,
    confidence: rounded(confidence),
    alternatives: alternatives.map(other => ({ ...other, confidence: rounded(other.confidence) })),
    decidedBy: 'model:naive-bayes',
  };
}

function rounded(confidence: number): number {
  return Math.round(confidence * 1000) / 1000;
}
