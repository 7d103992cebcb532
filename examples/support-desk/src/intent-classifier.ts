import naiveBayes from 'wink-naive-bayes-text-classifier';
import { type Calibration, type Evidence, fitCalibration, probabilities } from './calibration.ts';
import { createFeatureMaker, type Features } from './features.ts';
import { INTENTS, type Intent, type Utterance } from './utterance.ts';

// Cross-validation over the train and calibrate parts is flat from 0.2 to 0.5.
const SMOOTHING = 0.3;

/** What an intent is held for, 0 to 1. */
export interface Guess {
  readonly intent: Intent;
  readonly confidence: number;
}

/** The likeliest intent; `alternatives` are all the others, likeliest first; all confidences add up to 1. */
export interface Classification extends Guess {
  readonly alternatives: readonly Guess[];
}

export interface IntentClassifier {
  /** A text without a known word, the empty one included, is `unknown` with the confidence of an even chance. */
  classify(text: string): Classification;
  /** Null when there was too little to learn from; every text is then `unknown` with the confidence of an even chance. */
  readonly calibration: Calibration | null;
}

const EVEN = 1 / INTENTS.length;

const KNOWS_NOTHING: Classification = {
  intent: 'unknown',
  confidence: EVEN,
  alternatives: INTENTS.filter(intent => intent !== 'unknown').map(intent => ({ intent, confidence: EVEN })),
};

type Evaluate = (features: Features) => Evidence;

function learn(examples: readonly { features: Features; intent: Intent }[]): Evaluate | null {
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
      logOdds: INTENTS.map(intent => (odds.get(intent) ?? never) * Math.LN2),
      coverage: features.coverage,
    };
  };
}

function toClassification(shares: readonly number[]): Classification {
  const guesses = INTENTS.map((intent, index) => ({ intent, confidence: shares[index] ?? 0 }));
  const [best, ...alternatives] = guesses.sort((a, b) => b.confidence - a.confidence);
  return best === undefined ? KNOWS_NOTHING : { ...best, alternatives };
}

/** Learns from the `train` part and sets the confidence by the `calibrate` part; other parts are not looked at. */
export function trainIntentClassifier(utterances: readonly Utterance[]): IntentClassifier {
  const train = utterances.filter(utterance => utterance.part === 'train');
  const maker = createFeatureMaker(train.map(utterance => utterance.text));
  const evaluate = learn(train.map(({ text, intent }) => ({ features: maker.ofTrainingText(text), intent })));
  if (evaluate === null) return { classify: () => KNOWS_NOTHING, calibration: null };
  const calibration = fitCalibration(
    utterances
      .filter(utterance => utterance.part === 'calibrate')
      .map(({ text, intent }) => ({ ...evaluate(maker.ofText(text)), truth: INTENTS.indexOf(intent) })),
  );
  return {
    calibration,
    classify(text) {
      const features = maker.ofText(text);
      if (features.coverage === 0) return KNOWS_NOTHING;
      return toClassification(probabilities(evaluate(features), calibration));
    },
  };
}
