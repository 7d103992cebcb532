import { qualityReport, readUtterances, trainIntentClassifier } from '@signalbox/example-shared';
import { INTENTS, SURE, UTTERANCES } from './understand.ts';

const utterances = readUtterances(UTTERANCES, INTENTS);
console.log(qualityReport(trainIntentClassifier(utterances, INTENTS, 'other'), utterances, SURE));
