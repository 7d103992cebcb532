import { measureQuality, trainIntentClassifier, type Utterance } from '@signalbox/example-shared';
import { describe, expect, it } from 'vitest';
import { INTENTS, type Intent, readDeskUtterances } from './utterance.ts';

const utterances = readDeskUtterances();
const train = (among: readonly Utterance<Intent>[]) => trainIntentClassifier(among, INTENTS, 'unknown');
const classifier = train(utterances);
const heldOut = utterances.filter(utterance => utterance.part === 'test');

describe('the intent classifier', () => {
  it.each([
    ['I would like a refund for the broken kettle', 'refund'],
    ['Please order two teapots for me', 'create_order'],
    ['Which payment methods do you accept?', 'faq'],
    ['Your staff are rude and the service is terrible', 'complaint'],
    ['Tell me a joke about whales', 'unknown'],
    ['耳机坏了，请把钱退给我', 'refund'],
    ['帮我下单三个杯子', 'create_order'],
    ['请问营业时间是几点到几点？', 'faq'],
    ['客服态度太差了，我要投诉', 'complaint'],
    ['給我講個笑話', 'unknown'],
  ])('is sure enough to act that "%s" is %s', (text, intent) => {
    const guess = classifier.classify(text);
    expect(guess.intent).toBe(intent);
    expect(guess.confidence).toBeGreaterThan(0.6);
  });

  it.each(['asdf qwer zxcv', 'flurb the grobnik', 'xyzzy i want plugh frobozz', '龘靐齉齾', '!!! ???', '', '   '])(
    'is not sure of "%s"',
    text => {
      expect(classifier.classify(text).confidence).toBeLessThan(0.5);
    },
  );

  it('takes a text without a known word for unknown, at an even chance', () => {
    for (const text of ['', 'asdf qwer zxcv', '龘靐齉齾']) {
      expect(classifier.classify(text)).toMatchObject({ intent: 'unknown', confidence: 0.2 });
    }
  });

  it('is less sure of the same wish among unknown words', () => {
    const plain = classifier.classify('I want a refund');
    const noisy = classifier.classify('I want grobnik a flurb refund plugh frobozz xyzzy');
    expect(noisy.confidence).toBeLessThan(plain.confidence);
  });

  it('names every intent once, likeliest first, with confidences that add up to 1', () => {
    for (const { text } of heldOut) {
      const { intent, confidence, alternatives } = classifier.classify(text);
      const guesses = [{ intent, confidence }, ...alternatives];
      expect(guesses.map(guess => guess.intent).sort()).toEqual([...INTENTS].sort());
      expect(guesses.reduce((sum, guess) => sum + guess.confidence, 0)).toBeCloseTo(1, 10);
      expect(guesses.map(guess => guess.confidence)).toEqual(guesses.map(g => g.confidence).sort((a, b) => b - a));
    }
  });

  it('reads traditional characters as it reads simplified ones', () => {
    expect(classifier.classify('我要退貨，檯燈壞了')).toEqual(classifier.classify('我要退货，台灯坏了'));
  });

  it('that has learned nothing takes everything for unknown, at an even chance', () => {
    const one: Utterance<Intent> = { text: 'I want a refund', intent: 'refund', lang: 'en', part: 'train' };
    for (const untrained of [train([]), train([one])]) {
      expect(untrained.calibration).toBeNull();
      expect(untrained.classify('I want a refund')).toMatchObject({ intent: 'unknown', confidence: 0.2 });
    }
  });

  it('does not look at the test part', () => {
    const without = train(utterances.filter(utterance => utterance.part !== 'test'));
    for (const { text } of heldOut) expect(without.classify(text)).toEqual(classifier.classify(text));
  });
});

describe('on the held-out sentences the intent classifier', () => {
  it('is right at least three times in four, in either language', () => {
    for (const lang of ['en', 'zh']) {
      const among = heldOut.filter(utterance => utterance.lang === lang);
      expect(measureQuality(classifier, among, 0.6).accuracy).toBeGreaterThanOrEqual(0.75);
    }
  });

  it('is right at least 85 times in a hundred where it is sure enough to act', () => {
    const { sure } = measureQuality(classifier, heldOut, 0.6);
    expect(sure.share).toBeGreaterThan(0.6);
    expect(sure.accuracy).toBeGreaterThanOrEqual(0.85);
  });

  it('claims a confidence that is within 0.08 of its accuracy', () => {
    expect(measureQuality(classifier, heldOut, 0.6).calibrationError).toBeLessThan(0.08);
  });
});
