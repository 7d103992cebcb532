import { z } from 'zod';
import { readJsonLines } from './read-json-lines.ts';

/** What a customer can want; `unknown` is everything that is none of the shop's business. */
export const INTENTS = ['faq', 'refund', 'create_order', 'complaint', 'unknown'] as const;
export type Intent = (typeof INTENTS)[number];

/** `train` teaches the classifier, `calibrate` sets its confidence, `test` is seen by the measurement alone. */
export const PARTS = ['train', 'calibrate', 'test'] as const;
export type Part = (typeof PARTS)[number];

const utteranceSchema = z.strictObject({
  text: z.string().min(1),
  intent: z.enum(INTENTS),
  lang: z.enum(['en', 'zh']),
  part: z.enum(PARTS),
});

/** A sentence a customer might write, and what is meant by it. */
export type Utterance = z.infer<typeof utteranceSchema>;

/** The labelled sentences of `data/utterances.jsonl`. @throws DataFileError */
export function readUtterances(): Utterance[] {
  return readJsonLines(new URL('../data/utterances.jsonl', import.meta.url), utteranceSchema);
}
