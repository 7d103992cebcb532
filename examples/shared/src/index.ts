export { measureQuality, type Quality } from './classifier-quality.ts';
export {
  type Classification,
  type Guess,
  type IntentClassifier,
  trainIntentClassifier,
} from './intent-classifier.ts';
export { cleanMessage, type Language, languageOf } from './language.ts';
export { qualityReport } from './quality-report.ts';
export { DataFileError, readJsonLines } from './read-json-lines.ts';
export { splitUtterances } from './split-utterances.ts';
export { isChinese, tokenize, wordsOf } from './tokenize.ts';
export { PARTS, type Part, readUtterances, type Utterance, writeUtterances } from './utterance.ts';
