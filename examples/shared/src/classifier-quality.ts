import type { Classification, IntentClassifier } from './intent-classifier.ts';
import type { Utterance } from './utterance.ts';

const BINS = 10;

/** How well a classifier does on labelled texts; all numbers but `count` lie between 0 and 1, `brier` between 0 and 2. */
export interface Quality {
  readonly count: number;
  /** Share of texts whose likeliest intent is the right one. */
  readonly accuracy: number;
  /** Mean over the texts of the squared errors of all intents' confidences, summed (0 best, 2 worst). */
  readonly brier: number;
  /** Expected calibration error: mean gap of confidence and accuracy over ten equally wide bins, weighted by size. */
  readonly calibrationError: number;
  /** Share of texts that reach the threshold, and the accuracy among these. */
  readonly sure: { readonly share: number; readonly accuracy: number };
}

interface Outcome {
  readonly right: boolean;
  readonly confidence: number;
  readonly squaredError: number;
}

function outcomeOf<Intent extends string>(guess: Classification<Intent>, truth: Intent): Outcome {
  const errors = [guess, ...guess.alternatives].map(
    ({ intent, confidence }) => (confidence - (intent === truth ? 1 : 0)) ** 2,
  );
  return {
    right: guess.intent === truth,
    confidence: guess.confidence,
    squaredError: errors.reduce((sum, error) => sum + error, 0),
  };
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

const accuracyOf = (outcomes: readonly Outcome[]) => mean(outcomes.map(outcome => (outcome.right ? 1 : 0)));

function calibrationErrorOf(outcomes: readonly Outcome[]): number {
  let error = 0;
  for (let bin = 0; bin < BINS; bin++) {
    const inside = outcomes.filter(({ confidence }) => Math.min(BINS - 1, Math.floor(confidence * BINS)) === bin);
    const gap = Math.abs(mean(inside.map(outcome => outcome.confidence)) - accuracyOf(inside));
    error += (gap * inside.length) / outcomes.length;
  }
  return error;
}

/** Measures a classifier on texts it must not have seen. `threshold` is the confidence from which it is acted upon. */
export function measureQuality<Intent extends string>(
  classifier: IntentClassifier<Intent>,
  utterances: readonly Utterance<Intent>[],
  threshold: number,
): Quality {
  const outcomes = utterances.map(({ text, intent }) => outcomeOf(classifier.classify(text), intent));
  const sure = outcomes.filter(outcome => outcome.confidence >= threshold);
  return {
    count: outcomes.length,
    accuracy: accuracyOf(outcomes),
    brier: mean(outcomes.map(outcome => outcome.squaredError)),
    calibrationError: calibrationErrorOf(outcomes),
    sure: { share: outcomes.length === 0 ? 0 : sure.length / outcomes.length, accuracy: accuracyOf(sure) },
  };
}
