import { describe, expect, it } from 'vitest';
import { measureQuality } from './classifier-quality.ts';
import type { IntentClassifier } from './intent-classifier.ts';
import type { Utterance } from './utterance.ts';

const INTENTS = ['faq', 'refund', 'create_order', 'complaint', 'unknown'] as const;
type Intent = (typeof INTENTS)[number];

/** Says `refund` to everything, with this confidence, the rest shared evenly. */
function refundSayer(confidence: number): IntentClassifier<Intent> {
  const others = INTENTS.filter(intent => intent !== 'refund');
  const rest = (1 - confidence) / others.length;
  const alternatives = others.map(intent => ({ intent, confidence: rest }));
  return { calibration: null, classify: () => ({ intent: 'refund', confidence, alternatives }) };
}

const meant = (...intents: Intent[]): Utterance<Intent>[] =>
  intents.map(intent => ({ text: intent, intent, lang: 'en', part: 'test' }));

describe('the quality of a classifier', () => {
  it('is perfect for one that is sure and right', () => {
    const quality = measureQuality(refundSayer(1), meant('refund', 'refund'), 0.6);
    expect(quality).toEqual({ count: 2, accuracy: 1, brier: 0, calibrationError: 0, sure: { share: 1, accuracy: 1 } });
  });

  it('is worst for one that is sure and wrong', () => {
    const quality = measureQuality(refundSayer(1), meant('faq', 'unknown'), 0.6);
    expect(quality).toEqual({ count: 2, accuracy: 0, brier: 2, calibrationError: 1, sure: { share: 1, accuracy: 0 } });
  });

  it('shows the gap between what is claimed and what is true', () => {
    const quality = measureQuality(refundSayer(0.75), meant('refund', 'faq'), 0.8);
    expect(quality.accuracy).toBe(0.5);
    expect(quality.calibrationError).toBeCloseTo(0.25, 10);
    expect(quality.sure.share).toBe(0);
  });

  it('adds up the squared errors of all intents', () => {
    // Right: 0.2² + 4 · 0.05² = 0.05. Wrong: 0.8² + 0.95² + 3 · 0.05² = 1.55.
    expect(measureQuality(refundSayer(0.8), meant('refund'), 0.6).brier).toBeCloseTo(0.05, 10);
    expect(measureQuality(refundSayer(0.8), meant('faq'), 0.6).brier).toBeCloseTo(1.55, 10);
  });
});
