import { readUtterances, trainIntentClassifier } from '@signalbox/example-shared';

export const INTENTS = ['lookup', 'negotiate', 'offer', 'complaint', 'other'] as const;
export type Intent = (typeof INTENTS)[number];

export const UTTERANCES = new URL('../data/utterances.jsonl', import.meta.url);

/** Below this confidence a message counts as none of them. */
export const SURE = 0.5;

export interface Understood {
  readonly intent: Intent;
  readonly confidence: number;
}

/** What a message wants, by a naive Bayes classifier that is trained at the start. */
export function createUnderstanding(): (message: string) => Understood {
  const classifier = trainIntentClassifier(readUtterances(UTTERANCES, INTENTS), INTENTS, 'other');
  return message => {
    const { intent, confidence } = classifier.classify(message);
    return confidence < SURE ? { intent: 'other', confidence } : { intent, confidence };
  };
}

/** Candidate ids in a text, each once. */
export function candidateIdsIn(text: string): string[] {
  return [...new Set(text.match(/\bcand_[a-z0-9]{8}\b/g))];
}

/** A yearly salary: a number of five or six digits, with or without commas. */
export function salaryIn(text: string): number | undefined {
  const found = /(?<![\w,])\d{2,3},?\d{3}(?![\w,])/.exec(text)?.[0];
  return found === undefined ? undefined : Number(found.replace(',', ''));
}
