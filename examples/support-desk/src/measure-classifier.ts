import { measureQuality } from './classifier-quality.ts';
import { trainIntentClassifier } from './intent-classifier.ts';
import { readUtterances, type Utterance } from './utterance.ts';

const THRESHOLD = 0.6;

const utterances = readUtterances();
const classifier = trainIntentClassifier(utterances);
const held = utterances.filter(utterance => utterance.part === 'test');

const row = (name: string, among: readonly Utterance[]) => {
  const quality = measureQuality(classifier, among, THRESHOLD);
  const numbers = [
    quality.accuracy,
    quality.brier,
    quality.calibrationError,
    quality.sure.share,
    quality.sure.accuracy,
  ];
  console.log(`| ${[name, quality.count, ...numbers.map(number => number.toFixed(3))].join(' | ')} |`);
};

const count = (part: Utterance['part']) => utterances.filter(utterance => utterance.part === part).length;
console.log(`Trained on ${count('train')}, calibrated on ${count('calibrate')}, measured on ${held.length} sentences.`);
if (classifier.calibration !== null) {
  const { temperature, backoff } = classifier.calibration;
  console.log(`Temperature ${temperature.toFixed(2)}, backoff ${backoff}.\n`);
}
console.log(`| held-out part | sentences | accuracy | Brier | ECE | share ≥ ${THRESHOLD} | accuracy there |`);
console.log('|---|---|---|---|---|---|---|');
row(
  'English',
  held.filter(utterance => utterance.lang === 'en'),
);
row(
  'Chinese',
  held.filter(utterance => utterance.lang === 'zh'),
);
row('all', held);
