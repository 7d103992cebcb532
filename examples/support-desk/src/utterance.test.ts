import { PARTS, splitUtterances } from '@signalbox/example-shared';
import { describe, expect, it } from 'vitest';
import { INTENTS, readDeskUtterances } from './utterance.ts';

const utterances = readDeskUtterances();

describe('the labelled utterances', () => {
  it('hold every intent in every language and part, at least ten times', () => {
    for (const lang of ['en', 'zh'] as const) {
      for (const intent of INTENTS) {
        for (const part of PARTS) {
          const cell = utterances.filter(u => u.lang === lang && u.intent === intent && u.part === part);
          expect(cell.length, `${lang} ${intent} ${part}`).toBeGreaterThanOrEqual(10);
        }
      }
    }
  });

  it('hold no sentence twice, letter case and punctuation aside', () => {
    const bare = utterances.map(utterance => utterance.text.toLowerCase().replace(/[\p{P}\s]/gu, ''));
    expect(bare.filter((text, index) => bare.indexOf(text) !== index)).toEqual([]);
  });

  it('record the part that the digest of their text gives them', () => {
    expect(utterances).toEqual(splitUtterances(utterances));
  });

  it('get the same parts in whatever order they are written', () => {
    expect(splitUtterances([...utterances].reverse()).reverse()).toEqual(utterances);
  });
});
