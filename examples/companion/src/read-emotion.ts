import { readJsonLines } from '@signalbox/example-shared';
import { z } from 'zod';

export const MOODS = ['low', 'tense', 'glad', 'neutral'] as const;
export type Mood = (typeof MOODS)[number];

const entrySchema = z.strictObject({
  word: z.string().min(1),
  mood: z.enum(['low', 'tense', 'glad']),
  lang: z.enum(['en', 'zh']),
});
export type EmotionEntry = z.infer<typeof entrySchema>;

export interface Emotion {
  readonly mood: Mood;
  /** The words that it was read from. */
  readonly words: readonly string[];
}

/** The lexicon of `data/emotions.jsonl`. @throws DataFileError */
export function readEmotions(): EmotionEntry[] {
  return readJsonLines(new URL('../data/emotions.jsonl', import.meta.url), entrySchema);
}

const ENGLISH_NEGATION = /\b(?:not|no|never|isn't|don't|aren't|wasn't)\b[\s\w]{0,12}$/;
const CHINESE_NEGATION = /[不没别无](?:太|很|那么|是)?$/;

/** A rule, no model: counts words of a lexicon, leaves out what is negated just before, and takes the mood named most often. */
export function createEmotionReader(lexicon: readonly EmotionEntry[]): (text: string) => Emotion {
  return text => {
    const plain = text.normalize('NFKC').toLowerCase().replaceAll('’', "'");
    const found = lexicon.filter(entry => occurs(entry, plain));
    const votes = new Map<Mood, number>();
    for (const { mood } of found) votes.set(mood, (votes.get(mood) ?? 0) + 1);
    const [first] = [...votes].sort(([, a], [, b]) => b - a);
    return { mood: first?.[0] ?? 'neutral', words: found.map(({ word }) => word) };
  };
}

function occurs({ word, lang }: EmotionEntry, text: string): boolean {
  const negation = lang === 'en' ? ENGLISH_NEGATION : CHINESE_NEGATION;
  const pattern = lang === 'en' ? new RegExp(`\\b${word}\\b`, 'g') : new RegExp(word, 'g');
  return [...text.matchAll(pattern)].some(({ index }) => !negation.test(text.slice(0, index)));
}
