import { measureQuality, PARTS, splitUtterances, trainIntentClassifier } from '@signalbox/example-shared';
import { describe, expect, it } from 'vitest';
import { SURE } from './understand-intent.ts';
import { INTENTS, readCompanionUtterances } from './utterance.ts';

const utterances = readCompanionUtterances();
const classifier = trainIntentClassifier(utterances, INTENTS, 'unknown');

describe("the companion's classifier", () => {
  it('has sentences of every intent in every language and part, each once, in the part that their digest gives', () => {
    for (const lang of ['en', 'zh'])
      for (const intent of INTENTS)
        for (const part of PARTS)
          expect(utterances.some(u => u.lang === lang && u.intent === intent && u.part === part)).toBe(true);
    const bare = utterances.map(({ text }) => text.toLowerCase().replace(/[\p{P}\s]/gu, ''));
    expect(new Set(bare).size).toBe(bare.length);
    expect(utterances).toEqual(splitUtterances(utterances));
  });

  it.each(['en', 'zh'] as const)(
    'is right in four of five held-out sentences, and more often where it is sure: %s',
    lang => {
      const heldOut = utterances.filter(utterance => utterance.part === 'test' && utterance.lang === lang);
      const { accuracy, sure } = measureQuality(classifier, heldOut, SURE);
      expect(accuracy).toBeGreaterThanOrEqual(0.8);
      expect(sure.accuracy).toBeGreaterThanOrEqual(0.85);
    },
  );

  it.each(['asdf qwer', '龘靐齉齾', ''])('is not sure of "%s"', text => {
    expect(classifier.classify(text).confidence).toBeLessThan(SURE);
  });
});
