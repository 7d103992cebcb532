import type { Action } from './definition.ts';

const WORDS: ReadonlyMap<string, Action> = new Map([
  ['approve', 'approve'],
  ['accept', 'approve'],
  ['submit', 'approve'],
  ['edit', 'edit'],
  ['reject', 'reject'],
  ['decline', 'reject'],
  ['cancel', 'cancel'],
]);

/** The action that a word stands for (design 6); undefined of a word that is none. */
export function toAction(word: string): Action | undefined {
  return WORDS.get(word);
}
