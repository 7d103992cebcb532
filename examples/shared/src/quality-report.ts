import { measureQuality } from './classifier-quality.ts';
import type { IntentClassifier } from './intent-classifier.ts';
import type { Utterance } from './utterance.ts';

/** How well a classifier does on the `test` part, as a Markdown table. `threshold` is where it is acted upon. */
export function qualityReport<Intent extends string>(
  classifier: IntentClassifier<Intent>,
  utterances: readonly Utterance<Intent>[],
  threshold: number,
): string {
  const held = utterances.filter(utterance => utterance.part === 'test');
  const row = (name: string, among: readonly Utterance<Intent>[]) => {
    const { count, accuracy, brier, calibrationError, sure } = measureQuality(classifier, among, threshold);
    const numbers = [accuracy, brier, calibrationError, sure.share, sure.accuracy];
    return `| ${[name, count, ...numbers.map(number => number.toFixed(3))].join(' | ')} |`;
  };
  const count = (part: Utterance['part']) => utterances.filter(utterance => utterance.part === part).length;
  const { calibration } = classifier;
  return [
    `Trained on ${count('train')}, calibrated on ${count('calibrate')}, measured on ${held.length} sentences.`,
    ...(calibration === null
      ? []
      : [`Temperature ${calibration.temperature.toFixed(2)}, backoff ${calibration.backoff}.`]),
    '',
    `| held-out part | sentences | accuracy | Brier | ECE | share ≥ ${threshold} | accuracy there |`,
    '|---|---|---|---|---|---|---|',
    row(
      'English',
      held.filter(utterance => utterance.lang === 'en'),
    ),
    row(
      'Chinese',
      held.filter(utterance => utterance.lang === 'zh'),
    ),
    row('all', held),
  ].join('\n');
}
