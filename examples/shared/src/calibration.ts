/** Natural-log odds of every class for one text, and the share, 0 to 1, of its words that the model knows. */
export interface Evidence {
  readonly logOdds: readonly number[];
  readonly coverage: number;
}

/** A piece of evidence whose right class is known. */
export interface Judged extends Evidence {
  readonly truth: number;
}

/** How evidence becomes probabilities: odds are divided by `temperature`, unknown words count with power `backoff`. */
export interface Calibration {
  readonly temperature: number;
  readonly backoff: number;
}

// A text of unknown words must end near the even chance whatever the calibration texts say, which hold no gibberish:
// hence backoff never below one half.
const TEMPERATURES = Array.from({ length: 60 }, (_, index) => 1.08 ** index * 0.5);
const BACKOFFS = [0.5, 0.75, 1, 1.5, 2];

function softmax(values: readonly number[]): number[] {
  const top = Math.max(...values);
  const weights = values.map(value => Math.exp(value - top));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map(weight => weight / total);
}

/**
 * Probabilities of the classes, in their order, summing to 1. The less of the text is known, the closer they are to an even
 * chance; with nothing known they are exactly that.
 */
export function probabilities(evidence: Evidence, { temperature, backoff }: Calibration): number[] {
  const trust = evidence.coverage ** backoff;
  const even = 1 / evidence.logOdds.length;
  return softmax(evidence.logOdds.map(odds => odds / temperature)).map(p => trust * p + (1 - trust) * even);
}

function logLoss(judged: readonly Judged[], calibration: Calibration): number {
  let loss = 0;
  for (const item of judged) loss -= Math.log(probabilities(item, calibration)[item.truth] ?? 0);
  return loss;
}

/** The calibration with the least log loss on texts that the model did not learn from; without any, a neutral one. */
export function fitCalibration(judged: readonly Judged[]): Calibration {
  let best: Calibration = { temperature: 1, backoff: 1 };
  if (judged.length === 0) return best;
  let least = Number.POSITIVE_INFINITY;
  for (const backoff of BACKOFFS) {
    for (const temperature of TEMPERATURES) {
      const loss = logLoss(judged, { temperature, backoff });
      if (loss < least) [least, best] = [loss, { temperature, backoff }];
    }
  }
  return best;
}
