import { qualityReport, trainIntentClassifier } from '@signalbox/example-shared';
import { INTENTS, readDeskUtterances } from './utterance.ts';

const THRESHOLD = 0.6;

const utterances = readDeskUtterances();
console.log(qualityReport(trainIntentClassifier(utterances, INTENTS, 'unknown'), utterances, THRESHOLD));
