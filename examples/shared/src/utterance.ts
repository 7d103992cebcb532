import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { readJsonLines } from './read-json-lines.ts';

/** `train` teaches the classifier, `calibrate` sets its confidence, `test` is seen by the measurement alone. */
export const PARTS = ['train', 'calibrate', 'test'] as const;
export type Part = (typeof PARTS)[number];

/** A sentence a person might write, and what is meant by it. */
export interface Utterance<Intent extends string = string> {
  readonly text: string;
  readonly intent: Intent;
  readonly lang: 'en' | 'zh';
  readonly part: Part;
}

/** The labelled sentences of a file. @throws DataFileError also for an intent that is not among those named */
export function readUtterances<const Intent extends string>(
  file: URL,
  intents: readonly Intent[],
): Utterance<Intent>[] {
  return readJsonLines<Utterance<Intent>>(
    file,
    z.strictObject({
      text: z.string().min(1),
      intent: z.enum(intents),
      lang: z.enum(['en', 'zh']),
      part: z.enum(PARTS),
    }),
  );
}

export function writeUtterances(file: URL, utterances: readonly Utterance[]): void {
  writeFileSync(file, `${utterances.map(utterance => JSON.stringify(utterance)).join('\n')}\n`);
}
