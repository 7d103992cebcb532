import naiveBayes from 'wink-naive-bayes-text-classifier';
import { type Calibration, type Evidence, fitCalibration, probabilities } from './calibration.ts';
import { createFeatureMaker, type Features } from './features.ts';
import type { Utterance } from './utterance.ts';

// Cross-validation over the train and calibrate parts is flat from 0.2 to 0.5.
const SMOOTHING = 0.3;

/** What an intent is held for, 0 to 1. */
export interface Guess<Intent extends string = string> {
  readonly intent: Intent;
  readonly confidence: number;
}

/** The likeliest intent; `alternatives` are all the others, likeliest first; all confidences add up to 1. */
export interface Classification<Intent extends string = string> extends Guess<Intent> {
  readonly alternatives: readonly Guess<Intent>[];
}

export interface IntentClassifier<Intent extends string = string> {
  /** A text without a known word, the empty one included, is of the unknown intent with the confidence of an even chance. */
  classify(text: string): Classification<Intent>;
  /** Null when there was too little to learn from; every text is then of the unknown intent, at an even chance. */
  readonly calibration: Calibration | null;
}

function knowsNothing<Intent extends string>(intents: readonly Intent[], unknown: Intent): Classification<Intent> {
  const confidence = 1 / intents.length;
  const alternatives = intents.filter(intent => intent !== unknown).map(intent => ({ intent, confidence }));
  return { intent: unknown, confidence, alternatives };
}

type Evaluate = (features: Features) => Evidence;

function learn(
  examples: readonly { features: Features; intent: string }[],
  intents: readonly string[],
): Evaluate | null {
  const model = naiveBayes();
  model.definePrepTasks([]);
  model.defineConfig({ considerOnlyPresence: true, smoothingFactor: SMOOTHING });
  for (const { features, intent } of examples) model.learn(features.tokens, intent);
  // The library refuses to work from fewer than two labels or ten tokens, which is no failure here.
  try {
    model.consolidate();
  } catch {
    return null;
  }
  return features => {
    const odds = new Map(model.computeOdds(features.tokens));
    const never = Math.min(...odds.values());
    return {
      logOdds: intents.map(intent => (odds.get(intent) ?? never) * Math.LN2),
      coverage: features.coverage,
    };
  };
}

/**
 * Learns from the `train` part and sets the confidence by the `calibrate` part; other parts are not looked at. `unknown` is
 * the one of the intents that stands for everything else.
 */
export function trainIntentClassifier<Intent extends string>(
  utterances: readonly Utterance<Intent>[],
  intents: readonly Intent[],
  unknown: Intent,
): IntentClassifier<Intent> {
  const nothing = knowsNothing(intents, unknown);
  const train = utterances.filter(utterance => utterance.part === 'train');
  const maker = createFeatureMaker(train.map(utterance => utterance.text));
  const examples = train.map(({ text, intent }) => ({ features: maker.ofTrainingText(text), intent }));
  const evaluate = learn(examples, intents);
  if (evaluate === null) return { classify: () => nothing, calibration: null };
  const calibration = fitCalibration(
    utterances
      .filter(utterance => utterance.part === 'calibrate')
      .map(({ text, intent }) => ({ ...evaluate(maker.ofText(text)), truth: intents.indexOf(intent) })),
  );
  return {
    calibration,
    classify(text) {
      const features = maker.ofText(text);
      if (features.coverage === 0) return nothing;
      const shares = probabilities(evaluate(features), calibration);
      const guesses = intents.map((intent, index) => ({ intent, confidence: shares[index] ?? 0 }));
      const [best, ...alternatives] = guesses.sort((a, b) => b.confidence - a.confidence);
      return best === undefined ? nothing : { ...best, alternatives };
    },
  };
}
