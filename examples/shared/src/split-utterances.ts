import { createHash } from 'node:crypto';
import type { Part, Utterance } from './utterance.ts';

const TRAIN_SHARE = 0.55;
const CALIBRATE_SHARE = 0.2;

function partAt(rank: number, size: number): Part {
  if (rank < Math.round(size * TRAIN_SHARE)) return 'train';
  return rank < Math.round(size * (TRAIN_SHARE + CALIBRATE_SHARE)) ? 'calibrate' : 'test';
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * Gives every utterance its part, in the order received. Within each language and intent the sentences are ranked by the
 * SHA-256 of their text, so that nobody's hand or the order of writing chooses what is tested: 55% train, 20% calibrate,
 * 25% test.
 */
export function splitUtterances<Intent extends string>(utterances: readonly Utterance<Intent>[]): Utterance<Intent>[] {
  const cells = new Map<string, Utterance<Intent>[]>();
  for (const utterance of utterances) {
    const name = `${utterance.lang}/${utterance.intent}`;
    cells.set(name, [...(cells.get(name) ?? []), utterance]);
  }
  const parts = new Map<string, Part>();
  for (const cell of cells.values()) {
    const ranked = cell.map(utterance => digest(utterance.text)).sort();
    for (const [rank, key] of ranked.entries()) parts.set(key, partAt(rank, ranked.length));
  }
  return utterances.map(utterance => ({ ...utterance, part: parts.get(digest(utterance.text)) ?? 'train' }));
}
