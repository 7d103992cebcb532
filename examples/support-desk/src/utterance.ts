import { readUtterances, type Utterance } from '@signalbox/example-shared';

/** What a customer can want; `unknown` is everything that is none of the shop's business. */
export const INTENTS = ['faq', 'refund', 'create_order', 'complaint', 'unknown'] as const;
export type Intent = (typeof INTENTS)[number];

export const UTTERANCES = new URL('../data/utterances.jsonl', import.meta.url);

/** The labelled sentences of the desk. @throws DataFileError */
export function readDeskUtterances(): Utterance<Intent>[] {
  return readUtterances(UTTERANCES, INTENTS);
}
