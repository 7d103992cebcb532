import { qualityReport, trainIntentClassifier } from '@signalbox/example-shared';
import { SURE } from './understand-intent.ts';
import { INTENTS, readCompanionUtterances } from './utterance.ts';

const utterances = readCompanionUtterances();
console.log(qualityReport(trainIntentClassifier(utterances, INTENTS, 'unknown'), utterances, SURE));
