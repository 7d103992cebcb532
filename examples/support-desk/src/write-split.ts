import { writeFileSync } from 'node:fs';
import { splitUtterances } from './split-utterances.ts';
import { readUtterances } from './utterance.ts';

// Run after adding sentences to the data file: records the part of each one in it.
const lines = splitUtterances(readUtterances()).map(utterance => JSON.stringify(utterance));
writeFileSync(new URL('../data/utterances.jsonl', import.meta.url), `${lines.join('\n')}\n`);
