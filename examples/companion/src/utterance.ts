import { readUtterances, type Utterance } from '@signalbox/example-shared';

/** What the companion is asked for; `unknown` is everything else. */
export const INTENTS = [
  'music',
  'tab',
  'note',
  'recall',
  'trip',
  'order',
  'backup',
  'expenses',
  'payment',
  'unknown',
] as const;
export type Intent = (typeof INTENTS)[number];

export const UTTERANCES = new URL('../data/utterances.jsonl', import.meta.url);

/** The labelled sentences of the companion. @throws DataFileError */
export function readCompanionUtterances(): Utterance<Intent>[] {
  return readUtterances(UTTERANCES, INTENTS);
}
