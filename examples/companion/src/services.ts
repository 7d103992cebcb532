import { type IntentClassifier, trainIntentClassifier } from '@signalbox/example-shared';
import type { CompanionServices } from './companion.ts';
import { createEmotionReader, readEmotions } from './read-emotion.ts';
import { openLedger } from './tools/ledger.ts';
import { INTENTS, type Intent, readCompanionUtterances } from './utterance.ts';

/** The classifier, the emotion lexicon and the desktop in a file. The classifier is trained when it is first asked. */
export function openServices(ledgerPath: string): CompanionServices {
  let classifier: IntentClassifier<Intent> | undefined;
  return {
    classifier: {
      classify: text => {
        classifier ??= trainIntentClassifier(readCompanionUtterances(), INTENTS, 'unknown');
        return classifier.classify(text);
      },
    },
    emotionOf: createEmotionReader(readEmotions()),
    ledger: openLedger(ledgerPath),
  };
}
