import { splitUtterances, writeUtterances } from '@signalbox/example-shared';
import { readCompanionUtterances, UTTERANCES } from './utterance.ts';

// Run after adding sentences to the data file: records the part of each one in it.
writeUtterances(UTTERANCES, splitUtterances(readCompanionUtterances()));
